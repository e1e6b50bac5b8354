#include "core/resp/password.h"

#include <utility>

namespace latchkey::resp {

base::Result<Endpoint> withPassword(Endpoint endpoint, const PasswordSources &sources)
{
    const QString inUrl = std::exchange(endpoint.password, QString());
    const QString file = sources.file.value_or(QString());
    const QString typedInUrl = sources.isUrlTyped ? inUrl : QString();
    const QString setInUrl = sources.isUrlTyped ? QString() : inUrl;

    const auto areAtOdds = [](const QString &a, const QString &b) { return !a.isEmpty() && !b.isEmpty() && a != b; };
    const auto refuse = [&endpoint](const char *one, const char *other) {
        return base::failure(base::ErrorKind::Usage,
                             QStringLiteral("the password for %1 is given twice and differs: in %2 and in %3")
                                 .arg(endpoint.display(), QLatin1String(one), QLatin1String(other)));
    };
    if (areAtOdds(typedInUrl, file))
        return refuse("the URL", "--password-file");
    const QString typed = typedInUrl.isEmpty() ? file : typedInUrl;
    if (typed.isEmpty() && areAtOdds(setInUrl, sources.environment))
        return refuse("LATCHKEY_URL", "LATCHKEY_PASSWORD");
    const QString set = setInUrl.isEmpty() ? sources.environment : setInUrl;
    endpoint.password = typed.isEmpty() ? set : typed;
    return endpoint;
}

} // namespace latchkey::resp

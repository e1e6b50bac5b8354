#include "core/redis/net/password.h"

#include <utility>

namespace latchkey::net {

base::Result<Endpoint> withPassword(Endpoint endpoint, const PasswordSources &sources)
{
    if (endpoint.proxy && endpoint.proxy->password.isEmpty())
        endpoint.proxy->password = sources.proxyEnvironment;
    if (endpoint.sentinels && endpoint.sentinels->password.isEmpty())
        endpoint.sentinels->password = sources.sentinelEnvironment;
    const QString inUrl = std::exchange(endpoint.password, QString());
    const QString file = sources.file.value_or(QString());
    const QString typedInUrl = sources.isUrlTyped ? inUrl : QString();
    const QString setInUrl = sources.isUrlTyped ? QString() : inUrl;

    const auto differ = [](const QString &a, const QString &b) { return !a.isEmpty() && !b.isEmpty() && a != b; };
    const auto refuse = [&endpoint](const base::Text &one, const base::Text &other) {
        return base::failure(
            base::ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "the password for %1 is given twice and differs: in %2 and in %3"),
            endpoint.display(), one, other);
    };
    if (differ(typedInUrl, file))
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "the URL")), QLatin1String("--password-file"));
    const QString typed = typedInUrl.isEmpty() ? file : typedInUrl;
    if (typed.isEmpty() && differ(setInUrl, sources.environment))
        return refuse(QLatin1String("LATCHKEY_URL"), QLatin1String("LATCHKEY_PASSWORD"));
    const QString set = setInUrl.isEmpty() ? sources.environment : setInUrl;
    endpoint.password = typed.isEmpty() ? set : typed;
    return endpoint;
}

} // namespace latchkey::net

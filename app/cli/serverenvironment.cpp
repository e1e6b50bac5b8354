#include "app/cli/serverenvironment.h"

namespace latchkey::cli {

namespace {

bool namesItsPassword(const QString &url)
{
    const auto endpoint = resp::Endpoint::fromUrl(url);
    return endpoint && !endpoint->password.isEmpty();
}

} // namespace

QList<children::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                    const std::vector<resp::Endpoint> &servers)
{
    QList<children::Launch::Variable> variables;
    QStringList urls = arguments.texts("url");
    if (urls.size() == 1)
        variables += {"LATCHKEY_URL", urls.front().toUtf8()};
    if (!arguments.isSet("password-file"))
        return variables;
    if (urls.isEmpty())
        urls += qEnvironmentVariable("LATCHKEY_URL");
    // The file's password is that of the servers whose URL has none. It is not read again: it may be a pipe.
    for (std::size_t i = 0; i < servers.size(); ++i) {
        if (namesItsPassword(urls.value(static_cast<qsizetype>(i))))
            continue;
        variables += {"LATCHKEY_PASSWORD", servers[i].password.toUtf8()};
        break;
    }
    return variables;
}

} // namespace latchkey::cli

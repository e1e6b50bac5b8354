#include "app/cli/serverenvironment.h"

namespace latchkey::cli {

namespace {

QString passwordIn(const QString &url)
{
    const auto endpoint = resp::Endpoint::fromUrl(url);
    return endpoint ? endpoint->password : QString();
}

/// The URL as it was given, and what the options of the way have added to it.
QString withWay(const resp::Endpoint &server, const QString &url)
{
    auto endpoint = resp::Endpoint::fromUrl(url.isEmpty() ? resp::Endpoint::local().toUrl() : url);
    if (!endpoint || (endpoint->tls == server.tls && endpoint->ssh == server.ssh && endpoint->proxy == server.proxy))
        return url;
    endpoint->tls = server.tls;
    endpoint->ssh = server.ssh;
    endpoint->proxy = server.proxy;
    return endpoint->toUrlWithPassword();
}

/// LATCHKEY_URL and LATCHKEY_PASSWORD so that they come to this one server, whatever stood there before. url: what
/// names it; empty where nothing does.
QList<children::Launch::Variable> naming(const resp::Endpoint &server, const QString &url)
{
    const QString inUrl = passwordIn(url);
    // By the password file, of which the program knows nothing.
    const bool isOutranked = !inUrl.isEmpty() && inUrl != server.password;
    QList<children::Launch::Variable> variables;
    if (server.proxy && !server.proxy->password.isEmpty())
        variables += {"LATCHKEY_PROXY_PASSWORD", server.proxy->password.toUtf8()};
    if (!url.isEmpty())
        variables += {"LATCHKEY_URL", (isOutranked ? server.toUrl() : url).toUtf8()};
    if (!inUrl.isEmpty() && !isOutranked)
        variables += {"LATCHKEY_PASSWORD", std::nullopt}; // Beside a URL that has one it could only differ.
    else if (!server.password.isEmpty())
        variables += {"LATCHKEY_PASSWORD", server.password.toUtf8()};
    return variables;
}

} // namespace

QList<children::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                    const std::vector<resp::Endpoint> &servers)
{
    const QStringList urls = arguments.namedUrls().value_or(QStringList()); // That there are such has been said.
    const bool hasFile = arguments.isSet("password-file");
    if (urls.isEmpty() && !hasFile && !arguments.areWayOptionsSet())
        return {}; // All that there is to know is there already.
    const QString set = qEnvironmentVariable("LATCHKEY_URL");
    if (servers.size() == 1)
        return naming(servers.front(), withWay(servers.front(), urls.isEmpty() ? set : urls.front()));
    if (!hasFile)
        return {};
    // The file's password is that of the servers whose URL has none. It is not read again: it may be a pipe.
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const QString &password = servers[i].password;
        const QString otherServers = passwordIn(set);
        if (passwordIn(urls.value(static_cast<qsizetype>(i))).isEmpty()
            && (otherServers.isEmpty() || otherServers == password))
            return {{"LATCHKEY_PASSWORD", password.toUtf8()}};
    }
    return {};
}

} // namespace latchkey::cli

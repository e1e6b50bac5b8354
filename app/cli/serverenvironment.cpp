#include "app/cli/serverenvironment.h"

namespace latchkey::cli {

namespace {

QString passwordIn(const QString &url)
{
    const auto endpoint = net::Endpoint::fromUrl(url);
    return endpoint ? endpoint->password : QString();
}

/// Adds the options of the connection (TLS, ssh, proxy) to the given URL.
QString withRoute(const net::Endpoint &server, const QString &url)
{
    auto endpoint = net::Endpoint::fromUrl(url.isEmpty() ? net::Endpoint::local().toUrl() : url);
    if (!endpoint || (endpoint->tls == server.tls && endpoint->ssh == server.ssh && endpoint->proxy == server.proxy))
        return url;
    endpoint->tls = server.tls;
    endpoint->ssh = server.ssh;
    endpoint->proxy = server.proxy;
    return endpoint->toUrlWithPassword();
}

/// Returns LATCHKEY_URL and LATCHKEY_PASSWORD for this server, whatever their previous values. `url`: URL of the
/// server; empty if none is given.
QList<process::Launch::Variable> naming(const net::Endpoint &server, const QString &url)
{
    const QString inUrl = passwordIn(url);
    // The password file takes precedence, but the program does not know the file.
    const bool isOutranked = !inUrl.isEmpty() && inUrl != server.password;
    QList<process::Launch::Variable> variables;
    if (server.proxy && !server.proxy->password.isEmpty())
        variables += {"LATCHKEY_PROXY_PASSWORD", server.proxy->password.toUtf8()};
    if (server.sentinels && !server.sentinels->password.isEmpty())
        variables += {"LATCHKEY_SENTINEL_PASSWORD", server.sentinels->password.toUtf8()};
    if (!url.isEmpty())
        variables += {"LATCHKEY_URL", (isOutranked ? server.toUrl() : url).toUtf8()};
    if (!inUrl.isEmpty() && !isOutranked)
        variables += {"LATCHKEY_PASSWORD", std::nullopt}; // The URL has a password; another one would contradict it.
    else if (!server.password.isEmpty())
        variables += {"LATCHKEY_PASSWORD", server.password.toUtf8()};
    return variables;
}

} // namespace

QList<process::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                   const std::vector<net::Endpoint> &servers)
{
    const QStringList urls = arguments.namedUrls().value_or(QStringList()); // The names were checked before.
    const bool hasFile = arguments.isSet("password-file");
    if (urls.isEmpty() && !hasFile && !arguments.areConnectionOptionsSet())
        return {}; // The environment has all data already.
    const QString set = qEnvironmentVariable("LATCHKEY_URL");
    if (servers.size() == 1)
        return naming(servers.front(), withRoute(servers.front(), urls.isEmpty() ? set : urls.front()));
    if (!hasFile)
        return {};
    // The password of the file is that of the servers without a password in the URL. The file is not read again,
    // because it may be a pipe.
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

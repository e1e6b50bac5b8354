#include "core/redis/net/endpoint.h"

#include "core/redis/net/endpointtext.h"
#include "core/redis/net/urlencoding.h"
#include "core/redis/net/urlparts.h"

#include <QFile>
#include <QHostAddress>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

#include <sys/un.h>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

constexpr quint16 defaultPort = 6379;
constexpr qsizetype maxSocketPathLength = sizeof(sockaddr_un::sun_path) - 1;

/// Returns the advice for a URL without a scheme. The text before an `@` may be a secret.
base::Text withScheme(const QString &url)
{
    if (url.startsWith(QLatin1String("unix:")))
        return base::Text(
            QT_TRANSLATE_NOOP("core", "needs three slashes before the socket's path, as in unix:///run/redis.sock"));
    if (url.startsWith(QLatin1String("redis:")) || url.startsWith(QLatin1String("rediss:")))
        return base::Text(QT_TRANSLATE_NOOP("core", "needs two slashes behind \"%1\""),
                          url.first(url.indexOf(u':') + 1));
    if (url.contains(u'@'))
        return base::Text(QT_TRANSLATE_NOOP("core", "lacks a scheme: redis://, rediss:// or unix://"));
    return base::Text(QT_TRANSLATE_NOOP("core", "lacks a scheme: write %1"),
                      (url.startsWith(u'/') ? QStringLiteral("unix://") : QStringLiteral("redis://")) + url);
}

Result<int> databaseFrom(const QString &url, const QString &text, bool isBehindSentinels = false)
{
    bool isNumber = false;
    const int database = text.toInt(&isNumber);
    if (isNumber && database >= 0)
        return database;
    if (isBehindSentinels)
        return urlRefusal(
            url, base::Text(QT_TRANSLATE_NOOP("core", "names the database \"%1\", which is not a number from 0 "
                                                      "on; a slash in the name of the primary is written %2"),
                            text, QStringLiteral("%2F")));
    return urlRefusal(
        url, base::Text(QT_TRANSLATE_NOOP("core", "names the database \"%1\", which is not a number from 0 on"), text));
}

Result<void> readSsh(const QString &url, const QString &value, Endpoint &endpoint)
{
    const auto sshHost = ssh::SshHost::fromText(value);
    if (!sshHost)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"), sshHost.error().text));
    endpoint.ssh = *sshHost;
    return {};
}

Result<void> readMap(const QString &url, const QString &value, Endpoint &endpoint)
{
    auto map = AddressMap::fromText(value);
    if (!map)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"), map.error().text));
    endpoint.addresses = std::move(*map);
    return {};
}

Result<void> readProxy(const QString &value, Endpoint &endpoint)
{
    const auto proxy = Proxy::fromUrl(value);
    if (!proxy)
        return failure(proxy.error());
    endpoint.proxy = *proxy;
    return {};
}

/// Returns the names and values after the question mark.
QList<std::pair<QString, QString>> optionsOf(const QUrl &url)
{
    QList<std::pair<QString, QString>> options;
    for (const auto &[name, value] : QUrlQuery(url).queryItems(QUrl::FullyEncoded))
        options.emplace_back(percentDecoded(name), percentDecoded(value));
    return options;
}

Result<Endpoint> readUnix(const QString &url, const QUrl &parsed, Endpoint endpoint)
{
    endpoint.transport = Endpoint::Transport::Unix;
    endpoint.path = percentDecoded(parsed.path(QUrl::FullyEncoded));
    if (!parsed.host().isEmpty() || (!endpoint.path.isEmpty() && !endpoint.path.startsWith(u'/')))
        return urlRefusal(url,
                          base::Text(QT_TRANSLATE_NOOP(
                              "core", "needs three slashes before the socket's path, as in unix:///run/redis.sock")));
    if (endpoint.path.isEmpty() || endpoint.path == u"/")
        return urlRefusal(
            url, base::Text(QT_TRANSLATE_NOOP("core", "lacks the path of the socket, as in unix:///run/redis.sock")));
    if (QFile::encodeName(endpoint.path).size() > maxSocketPathLength)
        return urlRefusal(
            url,
            base::Text(QT_TRANSLATE_NOOP("core", "names a socket path longer than the %1 bytes that the system allows"),
                       maxSocketPathLength));
    for (const auto &[name, value] : optionsOf(parsed)) {
        if (name == sshOption || name == mapOption) {
            const auto read = name == sshOption ? readSsh(url, value, endpoint) : readMap(url, value, endpoint);
            if (!read)
                return failure(read.error());
            continue;
        }
        if (name != databaseOption)
            return urlRefusal(
                url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are db, ssh and map"),
                                name));
        const auto database = databaseFrom(url, value);
        if (!database)
            return failure(database.error());
        endpoint.database = *database;
    }
    return endpoint;
}

/// Reads a TLS option; returns whether the name is one.
Result<bool> readTls(const QString &name, const QString &value, TlsOptions &tls)
{
    const auto *option = std::ranges::find_if(
        tlsTextOptions, [&name](const TlsTextOption &one) { return name == QLatin1String(one.name); });
    if (option != tlsTextOptions.end()) {
        tls.*(option->value) = value;
        return true;
    }
    if (name != pinOption)
        return false;
    const auto pin = pinFrom(value);
    if (!pin)
        return failure(pin.error());
    tls.pin = *pin;
    return true;
}

tl::unexpected<base::Error> unknownOption(const QString &url, const QString &name, const Endpoint &endpoint)
{
    if (endpoint.sentinels)
        return urlRefusal(url,
                          base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are "
                                                               "sentinel-user, sentinel-password, ssh, proxy and map, "
                                                               "and with TLS cacert, cert, key, sni and pin"),
                                     name));
    if (endpoint.tls)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are "
                                                                    "cacert, cert, key, sni, pin, ssh, proxy and map"),
                                          name));
    return urlRefusal(url,
                      base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are ssh, "
                                                           "proxy and map, and the database follows the host, as in "
                                                           "redis://host/2"),
                                 name));
}

Result<void> readOptions(const QString &url, const QUrl &parsed, Endpoint &endpoint)
{
    for (const auto &[name, value] : optionsOf(parsed)) {
        Result<void> read;
        if (name == sshOption) {
            read = readSsh(url, value, endpoint);
        } else if (name == proxyOption) {
            read = readProxy(value, endpoint);
        } else if (name == mapOption) {
            read = readMap(url, value, endpoint);
        } else {
            const auto isTls = endpoint.tls ? readTls(name, value, *endpoint.tls) : Result<bool>(false);
            if (!isTls)
                return failure(isTls.error());
            if (!*isTls)
                return unknownOption(url, name, endpoint);
        }
        if (!read)
            return read;
    }
    if (endpoint.ssh && endpoint.proxy)
        return urlRefusal(url,
                          base::Text(QT_TRANSLATE_NOOP("core", "names both ssh and a proxy; the way of ssh through a "
                                                               "proxy is for its own configuration (ProxyCommand)")));
    return {};
}

Result<Endpoint> readHost(const QString &url, const QUrl &parsed, Endpoint endpoint)
{
    auto address = hostPortFrom(url, parsed, defaultPort);
    if (!address)
        return failure(std::move(address.error()));
    endpoint.host = std::move(address->host);
    endpoint.port = address->port;
    if (const auto read = readOptions(url, parsed, endpoint); !read)
        return failure(read.error());
    const QString path = parsed.path();
    if (path.size() > 1) {
        const auto database = databaseFrom(url, path.sliced(1), endpoint.sentinels.has_value());
        if (!database)
            return failure(database.error());
        endpoint.database = *database;
    }
    return endpoint;
}

} // namespace

Result<Endpoint> Endpoint::fromUrl(const QString &url)
{
    if (url.isEmpty())
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the URL is empty; write it like redis://127.0.0.1:6379"));
    // Checked first: QUrl parses `localhost:6379` as a scheme, and does not accept `127.0.0.1:6379`.
    if (!url.contains(QLatin1String("://")))
        return urlRefusal(url, withScheme(url));
    const auto divided = splitSentinelUrl(url);
    if (!divided)
        return failure(divided.error());
    const QUrl parsed(*divided ? (*divided)->single : url, QUrl::StrictMode);
    const QString scheme = parsed.scheme();
    if (!parsed.isValid())
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"),
                                          parsed.errorString().section(u';', 0, 0).toLower()));
    const bool isUnix = scheme == u"unix";
    const bool isEncrypted = scheme == u"rediss";
    if (!isUnix && !isEncrypted && scheme != u"redis")
        return urlRefusal(
            url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown scheme \"%1\"; there are redis://, rediss://, "
                                                      "unix:// and redis+sentinel://"),
                            scheme));
    if (parsed.hasFragment())
        return urlRefusal(
            url, base::Text(QT_TRANSLATE_NOOP(
                                "core", "has a part behind \"#\"; write %1 where a password holds that character"),
                            QStringLiteral("%23")));

    Endpoint endpoint;
    endpoint.user = percentDecoded(parsed.userName(QUrl::FullyEncoded));
    endpoint.password = percentDecoded(parsed.password(QUrl::FullyEncoded));
    if (isEncrypted)
        endpoint.tls.emplace();
    if (*divided)
        endpoint.sentinels = (*divided)->group;
    return isUnix ? readUnix(url, parsed, endpoint) : readHost(url, parsed, endpoint);
}

Endpoint Endpoint::unixSocket(const QString &path)
{
    Endpoint endpoint;
    endpoint.transport = Transport::Unix;
    endpoint.path = path;
    return endpoint;
}

Endpoint Endpoint::announcing(const HostPort &announced) const
{
    const HostPort at = addresses.reached(announced);
    Endpoint endpoint = *this;
    endpoint.sentinels.reset();
    endpoint.transport = Transport::Tcp;
    endpoint.path.clear();
    endpoint.host = at.host;
    endpoint.port = at.port;
    endpoint.source.isAnnounced = announced.host != host;
    return endpoint;
}

ssh::Target Endpoint::target() const
{
    if (transport == Transport::Unix)
        return {{}, 0, path};
    return {host, port, {}};
}

bool Endpoint::isOnThisMachine() const
{
    if (ssh || proxy || sentinels)
        return false;
    return transport == Transport::Unix || host.compare(u"localhost", Qt::CaseInsensitive) == 0
        || QHostAddress(host).isLoopback();
}

QString Endpoint::display() const
{
    return urlText(*this, Detail::Way);
}

QString Endpoint::toUrl() const
{
    return urlText(*this, Detail::All);
}

QString Endpoint::toUrlWithPassword() const
{
    return urlText(*this, Detail::Passwords);
}

} // namespace latchkey::net

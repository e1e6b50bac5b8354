#include "core/redis/net/endpoint.h"

#include "core/foundation/base/terminaltext.h"
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

constexpr QLatin1String databaseOption("db");
constexpr QLatin1String pinOption("pin");
constexpr QLatin1String sshOption("ssh");
constexpr QLatin1String proxyOption("proxy");

Result<void> readSsh(const QString &url, const QString &value, Endpoint &endpoint)
{
    const auto sshHost = ssh::SshHost::fromText(value);
    if (!sshHost)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"), sshHost.error().text));
    endpoint.ssh = *sshHost;
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
        if (name == sshOption) {
            if (const auto read = readSsh(url, value, endpoint); !read)
                return failure(read.error());
            continue;
        }
        if (name != databaseOption)
            return urlRefusal(
                url,
                base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are db and ssh"), name));
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
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are "
                                                                    "sentinel-user, sentinel-password, ssh and proxy, "
                                                                    "and with TLS cacert, cert, key, sni and pin"),
                                          name));
    if (endpoint.tls)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are "
                                                                    "cacert, cert, key, sni, pin, ssh and proxy"),
                                          name));
    return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are ssh and "
                                                                "proxy, and the database follows the host, as in "
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

QString item(QLatin1String name, const QString &value)
{
    return name + QLatin1Char('=') + percentEncoded(value, "/:@");
}

QStringList itemsOf(const TlsOptions &tls)
{
    QStringList items;
    for (const TlsTextOption &option : tlsTextOptions) {
        if (const QString &value = tls.*(option.value); !value.isEmpty())
            items += item(QLatin1String(option.name), value);
    }
    if (!tls.pin.isEmpty())
        items += item(pinOption, pinText(tls.pin));
    return items;
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

/// The extent to which an endpoint is written.
enum class Detail : quint8 {
    Way,       ///< Address and the route to it (ssh, proxy).
    All,       ///< Way and the options that verify the server's identity.
    Passwords, ///< All and the secrets.
};

QString schemeOf(const Endpoint &endpoint)
{
    const QString scheme = endpoint.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
    return endpoint.sentinels ? scheme + QStringLiteral("+sentinel") : scheme;
}

/// Returns the path of a URL with a host: the name of the server at its sentinels, and the database.
QString pathOf(const Endpoint &endpoint)
{
    QString path;
    if (endpoint.sentinels)
        path += u'/' + percentEncoded(endpoint.sentinels->master);
    if (endpoint.database != 0)
        path += QStringLiteral("/%1").arg(endpoint.database);
    return path;
}

/// Returns the URL of the endpoint with only the first of several sentinels; see withSentinels().
QUrl urlOf(const Endpoint &endpoint, Detail detail)
{
    const bool isUnix = endpoint.transport == Endpoint::Transport::Unix;
    QUrl url;
    QStringList items;
    if (!endpoint.user.isEmpty()) // Qt 6.8 writes an "@" for an empty name as well.
        url.setUserName(percentEncoded(endpoint.user), QUrl::StrictMode);
    if (isUnix) {
        url.setScheme(QStringLiteral("unix"));
        url.setHost(QStringLiteral("")); // An empty and not a null text keeps the two slashes.
        url.setPath(percentEncoded(endpoint.path, "/:@!$&'()*+,;="), QUrl::StrictMode);
        if (endpoint.database != 0)
            items += item(databaseOption, QString::number(endpoint.database));
    } else {
        url.setScheme(schemeOf(endpoint));
        url.setHost(endpoint.host);
        url.setPort(endpoint.port);
        url.setPath(pathOf(endpoint), QUrl::StrictMode);
    }
    if (endpoint.sentinels && detail != Detail::Way && !endpoint.sentinels->user.isEmpty())
        items += item(sentinelUserOption, endpoint.sentinels->user);
    if (endpoint.tls && detail != Detail::Way)
        items += itemsOf(*endpoint.tls);
    if (endpoint.ssh)
        items += item(sshOption, endpoint.ssh->display());
    const bool withPasswords = detail == Detail::Passwords;
    if (endpoint.sentinels && withPasswords && !endpoint.sentinels->password.isEmpty())
        items += item(sentinelPasswordOption, endpoint.sentinels->password);
    if (endpoint.proxy)
        items += item(proxyOption, withPasswords ? endpoint.proxy->toUrlWithPassword() : endpoint.proxy->display());
    if (!items.isEmpty())
        url.setQuery(items.join(u'&'), QUrl::StrictMode);
    if (withPasswords && !endpoint.password.isEmpty())
        url.setPassword(percentEncoded(endpoint.password), QUrl::StrictMode);
    return url;
}

/// Returns the URL as a text, with the further sentinels after the first: QUrl does not accept a list of hosts.
QString withSentinels(const Endpoint &endpoint, const QUrl &url, QUrl::ComponentFormattingOptions format)
{
    QString text = url.toString(QUrl::FormattingOptions(format));
    if (!endpoint.sentinels)
        return text;
    QString others;
    for (const HostPort &sentinel : endpoint.sentinels->others) {
        QUrl one;
        one.setHost(sentinel.host);
        one.setPort(sentinel.port);
        others += u',' + one.authority(format);
    }
    const QUrl::FormattingOptions withoutRest =
        QUrl::FormattingOptions(format) | QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveFragment;
    return text.insert(url.toString(withoutRest).size(), others);
}

/// Encodes characters that QUrl shows decoded although a URL must not contain them, so that fromUrl() can read the
/// text. Also encodes characters that a terminal does not show.
QString textOf(const Endpoint &endpoint, const QUrl &url)
{
    const QString text = withSentinels(endpoint, url, QUrl::EncodeSpaces | QUrl::EncodeReserved);
    QString shown;
    for (const QChar character : text)
        shown += base::isShownByTerminals(character)
                   ? QString(character)
                   : QString::fromLatin1(QString(character).toUtf8().toPercentEncoding());
    return shown;
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
    return textOf(*this, urlOf(*this, Detail::Way));
}

QString Endpoint::toUrl() const
{
    return textOf(*this, urlOf(*this, Detail::All));
}

QString Endpoint::toUrlWithPassword() const
{
    return withSentinels(*this, urlOf(*this, Detail::Passwords), QUrl::FullyEncoded);
}

} // namespace latchkey::net

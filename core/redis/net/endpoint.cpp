#include "core/redis/net/endpoint.h"

#include "core/foundation/base/terminaltext.h"
#include "core/redis/net/urlencoding.h"

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

constexpr qsizetype longestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

tl::unexpected<base::Error> refusal(const QString &url, const base::Text &why)
{
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the URL \"%1\" %2"), withoutSecret(url), why);
}

/// Returns the advice for a URL without a scheme. A secret may stand before an `@`.
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

Result<int> databaseFrom(const QString &url, const QString &text)
{
    bool isNumber = false;
    const int database = text.toInt(&isNumber);
    if (!isNumber || database < 0)
        return refusal(
            url,
            base::Text(QT_TRANSLATE_NOOP("core", "names the database \"%1\", which is not a number from 0 on"), text));
    return database;
}

constexpr QLatin1String databaseOption("db");
constexpr QLatin1String pinOption("pin");
constexpr QLatin1String sshOption("ssh");
constexpr QLatin1String proxyOption("proxy");

Result<void> readSsh(const QString &url, const QString &value, Endpoint &endpoint)
{
    const auto hop = ssh::Hop::fromText(value);
    if (!hop)
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"), hop.error().text));
    endpoint.ssh = *hop;
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

/// Returns the names and values behind the question mark.
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
        return refusal(url, base::Text(QT_TRANSLATE_NOOP(
                                "core", "needs three slashes before the socket's path, as in unix:///run/redis.sock")));
    if (endpoint.path.isEmpty() || endpoint.path == u"/")
        return refusal(
            url, base::Text(QT_TRANSLATE_NOOP("core", "lacks the path of the socket, as in unix:///run/redis.sock")));
    if (QFile::encodeName(endpoint.path).size() > longestSocketPath)
        return refusal(
            url,
            base::Text(QT_TRANSLATE_NOOP("core", "names a socket path longer than the %1 bytes that the system allows"),
                       longestSocketPath));
    for (const auto &[name, value] : optionsOf(parsed)) {
        if (name == sshOption) {
            if (const auto read = readSsh(url, value, endpoint); !read)
                return failure(read.error());
            continue;
        }
        if (name != databaseOption)
            return refusal(
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

Result<void> readOptions(const QString &url, const QUrl &parsed, Endpoint &endpoint)
{
    for (const auto &[name, value] : optionsOf(parsed)) {
        Result<void> read;
        if (name == sshOption) {
            read = readSsh(url, value, endpoint);
        } else if (name == proxyOption) {
            read = readProxy(value, endpoint);
        } else if (endpoint.tls) {
            const auto isTls = readTls(name, value, *endpoint.tls);
            if (!isTls)
                return failure(isTls.error());
            if (!*isTls)
                return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are "
                                                                         "cacert, cert, key, sni, pin, ssh and proxy"),
                                               name));
        } else {
            return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are ssh and "
                                                                     "proxy, and the database follows the host, as in "
                                                                     "redis://host/2"),
                                           name));
        }
        if (!read)
            return read;
    }
    if (endpoint.ssh && endpoint.proxy)
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "names both ssh and a proxy; the way of ssh through a "
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

/// Returns whether a URL with this host is read back as the same host. QUrl decodes the zone of an IPv6 address
/// (`%eth0`) unless it is ASCII.
bool isWrittenAsItIs(const QString &host)
{
    QUrl url;
    url.setHost(host);
    const QUrl again(QString::fromLatin1(url.toEncoded()), QUrl::StrictMode);
    return !host.isEmpty() && again.host(QUrl::FullyDecoded) == host;
}

Result<Endpoint> readHost(const QString &url, const QUrl &parsed, Endpoint endpoint)
{
    endpoint.host = parsed.host(QUrl::FullyDecoded);
    if (!isWrittenAsItIs(endpoint.host))
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "lacks a host, as in redis://127.0.0.1:6379")));
    const int port = parsed.port(6379);
    if (port == 0)
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "names port 0; ports go from 1 to 65535")));
    endpoint.port = static_cast<quint16>(port);
    if (const auto read = readOptions(url, parsed, endpoint); !read)
        return failure(read.error());
    const QString path = parsed.path();
    if (path.size() > 1) {
        const auto database = databaseFrom(url, path.sliced(1));
        if (!database)
            return failure(database.error());
        endpoint.database = *database;
    }
    return endpoint;
}

/// The parts of an endpoint that are written.
enum class Detail : quint8 {
    Way,       ///< Address and the route to it (ssh, proxy).
    All,       ///< Also the options that verify the server's identity.
    Passwords, ///< Also the secrets.
};

QUrl urlOf(const Endpoint &endpoint, Detail detail)
{
    const bool isUnix = endpoint.transport == Endpoint::Transport::Unix;
    QUrl url;
    QStringList items;
    if (!endpoint.user.isEmpty()) // Qt 6.8 writes an "@" for an empty name as well.
        url.setUserName(percentEncoded(endpoint.user), QUrl::StrictMode);
    if (isUnix) {
        url.setScheme(QStringLiteral("unix"));
        url.setHost(QStringLiteral("")); // Not null: keeps the two slashes.
        url.setPath(percentEncoded(endpoint.path, "/:@!$&'()*+,;="), QUrl::StrictMode);
        if (endpoint.database != 0)
            items += item(databaseOption, QString::number(endpoint.database));
    } else {
        url.setScheme(endpoint.tls ? QStringLiteral("rediss") : QStringLiteral("redis"));
        url.setHost(endpoint.host);
        url.setPort(endpoint.port);
        if (endpoint.database != 0)
            url.setPath(QStringLiteral("/%1").arg(endpoint.database));
    }
    if (endpoint.tls && detail != Detail::Way)
        items += itemsOf(*endpoint.tls);
    if (endpoint.ssh)
        items += item(sshOption, endpoint.ssh->display());
    const bool withPasswords = detail == Detail::Passwords;
    if (endpoint.proxy)
        items += item(proxyOption, withPasswords ? endpoint.proxy->toUrlWithPassword() : endpoint.proxy->display());
    if (!items.isEmpty())
        url.setQuery(items.join(u'&'), QUrl::StrictMode);
    if (withPasswords && !endpoint.password.isEmpty())
        url.setPassword(percentEncoded(endpoint.password), QUrl::StrictMode);
    return url;
}

/// Encodes characters that QUrl shows decoded although a URL must not contain them, so that fromUrl() can read the
/// text; and characters that a terminal does not show.
QString textOf(const QUrl &url)
{
    const QString text = url.toString(QUrl::FormattingOptions(QUrl::EncodeSpaces) | QUrl::EncodeReserved);
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
    const QUrl parsed(url, QUrl::StrictMode);
    const QString scheme = parsed.scheme();
    const bool isUnix = scheme == u"unix";
    if (url.isEmpty())
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the URL is empty; write it like redis://127.0.0.1:6379"));
    // Check first: QUrl takes `localhost:6379` for a scheme, and does not accept `127.0.0.1:6379`.
    if (!url.contains(QLatin1String("://")))
        return refusal(url, withScheme(url));
    if (!parsed.isValid())
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"),
                                       parsed.errorString().section(u';', 0, 0).toLower()));
    const bool isEncrypted = scheme == u"rediss";
    if (!isUnix && !isEncrypted && scheme != u"redis")
        return refusal(
            url, base::Text(QT_TRANSLATE_NOOP(
                                "core", "has the unknown scheme \"%1\"; there are redis://, rediss:// and unix://"),
                            scheme));
    if (parsed.hasFragment())
        return refusal(
            url, base::Text(QT_TRANSLATE_NOOP(
                                "core", "has a part behind \"#\"; write %1 where a password holds that character"),
                            QStringLiteral("%23")));

    Endpoint endpoint;
    endpoint.user = percentDecoded(parsed.userName(QUrl::FullyEncoded));
    endpoint.password = percentDecoded(parsed.password(QUrl::FullyEncoded));
    if (isEncrypted)
        endpoint.tls.emplace();
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
    if (ssh || proxy)
        return false;
    return transport == Transport::Unix || host.compare(u"localhost", Qt::CaseInsensitive) == 0
        || QHostAddress(host).isLoopback();
}

QString Endpoint::display() const
{
    return textOf(urlOf(*this, Detail::Way));
}

QString Endpoint::toUrl() const
{
    return textOf(urlOf(*this, Detail::All));
}

QString Endpoint::toUrlWithPassword() const
{
    return QString::fromLatin1(urlOf(*this, Detail::Passwords).toEncoded());
}

} // namespace latchkey::net

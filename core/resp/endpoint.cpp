#include "core/resp/endpoint.h"

#include <QFile>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

#include <sys/un.h>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

constexpr qsizetype longestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

/// The text as typed, but for a password that may stand in it: a URL that cannot be read can still hold one.
QString withoutSecret(const QString &url)
{
    const qsizetype at = url.lastIndexOf(u'@');
    if (at < 0)
        return url;
    const qsizetype scheme = url.indexOf(QLatin1String("://"));
    const qsizetype begin = scheme < 0 ? 0 : scheme + 3;
    return at < begin ? url : url.first(begin) + QStringLiteral("(hidden)") + url.sliced(at);
}

tl::unexpected<base::Error> refusal(const QString &url, const base::Text &why)
{
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the URL \"%1\" %2"), withoutSecret(url), why);
}

/// What a user who left out the scheme is told to write. A secret may stand before an `@`.
base::Text withScheme(const QString &url)
{
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

Result<Endpoint> readUnix(const QString &url, const QUrl &parsed, Endpoint endpoint)
{
    endpoint.transport = Endpoint::Transport::Unix;
    endpoint.path = parsed.path(QUrl::FullyDecoded);
    if (!parsed.host().isEmpty())
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
    for (const auto &[name, value] : QUrlQuery(parsed).queryItems()) {
        if (name != u"db")
            return refusal(
                url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there is only db"), name));
        const auto database = databaseFrom(url, value);
        if (!database)
            return failure(database.error());
        endpoint.database = *database;
    }
    return endpoint;
}

constexpr QLatin1String pinOption("pin");

Result<TlsOptions> readTls(const QString &url, const QUrl &parsed)
{
    TlsOptions tls;
    for (const auto &[name, value] : QUrlQuery(parsed).queryItems(QUrl::FullyDecoded)) {
        const auto *option = std::ranges::find_if(
            tlsTextOptions, [&name = name](const TlsTextOption &one) { return name == QLatin1String(one.name); });
        if (option != tlsTextOptions.end()) {
            tls.*(option->value) = value;
            continue;
        }
        if (name != pinOption)
            return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "has the unknown option \"%1\"; there are cacert, "
                                                                     "cert, key, sni and pin"),
                                           name));
        const auto pin = pinFrom(value);
        if (!pin)
            return failure(pin.error());
        tls.pin = *pin;
    }
    return tls;
}

/// Everything that a query gives a meaning of its own.
QString encoded(const QString &value)
{
    return QString::fromLatin1(QUrl::toPercentEncoding(value, "/:"));
}

QString queryOf(const TlsOptions &tls)
{
    QStringList items;
    for (const TlsTextOption &option : tlsTextOptions) {
        if (const QString &value = tls.*(option.value); !value.isEmpty())
            items += QLatin1String(option.name) + QLatin1Char('=') + encoded(value);
    }
    if (!tls.pin.isEmpty())
        items += pinOption + QLatin1Char('=') + pinText(tls.pin);
    return items.join(u'&');
}

Result<Endpoint> readHost(const QString &url, const QUrl &parsed, Endpoint endpoint)
{
    endpoint.host = parsed.host(QUrl::FullyDecoded);
    if (endpoint.host.isEmpty())
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "lacks a host, as in redis://127.0.0.1:6379")));
    const int port = parsed.port(6379);
    if (port == 0)
        return refusal(url, base::Text(QT_TRANSLATE_NOOP("core", "names port 0; ports go from 1 to 65535")));
    endpoint.port = static_cast<quint16>(port);
    if (endpoint.tls) {
        const auto tls = readTls(url, parsed);
        if (!tls)
            return failure(tls.error());
        endpoint.tls = *tls;
    } else if (parsed.hasQuery()) {
        return refusal(url, base::Text(QT_TRANSLATE_NOOP(
                                "core", "has a query; the database follows the host, as in redis://host/2")));
    }
    const QString path = parsed.path();
    if (path.size() > 1) {
        const auto database = databaseFrom(url, path.sliced(1));
        if (!database)
            return failure(database.error());
        endpoint.database = *database;
    }
    return endpoint;
}

QUrl baseUrl(const Endpoint &endpoint)
{
    QUrl url;
    if (!endpoint.user.isEmpty()) // Qt 6.8 writes an "@" for an empty name as well.
        url.setUserName(endpoint.user, QUrl::DecodedMode);
    if (endpoint.transport == Endpoint::Transport::Unix) {
        url.setScheme(QStringLiteral("unix"));
        url.setHost(QStringLiteral("")); // Not null: keeps the two slashes.
        url.setPath(endpoint.path, QUrl::DecodedMode);
        if (endpoint.database != 0)
            url.setQuery(QStringLiteral("db=%1").arg(endpoint.database));
        return url;
    }
    url.setScheme(endpoint.tls ? QStringLiteral("rediss") : QStringLiteral("redis"));
    url.setHost(endpoint.host);
    url.setPort(endpoint.port);
    if (endpoint.database != 0)
        url.setPath(QStringLiteral("/%1").arg(endpoint.database));
    return url;
}

QUrl fullUrl(const Endpoint &endpoint)
{
    QUrl url = baseUrl(endpoint);
    if (endpoint.tls && *endpoint.tls != TlsOptions())
        url.setQuery(queryOf(*endpoint.tls), QUrl::StrictMode);
    return url;
}

/// What QUrl would show decoded, though a URL may not hold it: fromUrl() has to read it back.
QString textOf(const QUrl &url)
{
    return url.toString(QUrl::FormattingOptions(QUrl::EncodeSpaces) | QUrl::EncodeReserved);
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
    // Before anything else: QUrl takes `localhost:6379` for a scheme, and `127.0.0.1:6379` for nothing at all.
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
    endpoint.user = parsed.userName(QUrl::FullyDecoded);
    endpoint.password = parsed.password(QUrl::FullyDecoded);
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

QString Endpoint::display() const
{
    return textOf(baseUrl(*this));
}

QString Endpoint::toUrl() const
{
    return textOf(fullUrl(*this));
}

QString Endpoint::toUrlWithPassword() const
{
    QUrl url = fullUrl(*this);
    if (!password.isEmpty())
        url.setPassword(password, QUrl::DecodedMode);
    return QString::fromLatin1(url.toEncoded());
}

} // namespace latchkey::resp

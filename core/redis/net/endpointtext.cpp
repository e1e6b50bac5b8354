#include "core/redis/net/endpointtext.h"

#include "core/foundation/base/terminaltext.h"
#include "core/redis/net/urlencoding.h"
#include "core/redis/net/urlparts.h"

#include <QUrl>

namespace latchkey::net {

namespace {

QString item(QLatin1String name, const QString &value, const QByteArray &kept = "/:@")
{
    return name + QLatin1Char('=') + percentEncoded(value, kept);
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
    if (detail != Detail::Way && !endpoint.addresses.isEmpty())
        items += item(mapOption, endpoint.addresses.toText(), ":=,");
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

QString urlText(const Endpoint &endpoint, Detail detail)
{
    const QUrl url = urlOf(endpoint, detail);
    return detail == Detail::Passwords ? withSentinels(endpoint, url, QUrl::FullyEncoded) : textOf(endpoint, url);
}

} // namespace latchkey::net

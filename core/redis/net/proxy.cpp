#include "core/redis/net/proxy.h"

#include "core/redis/net/urlencoding.h"

#include <QUrl>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

QUrl urlOf(const Proxy &proxy)
{
    QUrl url;
    url.setScheme(proxy.kind == Proxy::Kind::Socks5 ? QStringLiteral("socks5") : QStringLiteral("http"));
    if (!proxy.user.isEmpty()) // Qt 6.8 writes an "@" for an empty name as well.
        url.setUserName(percentEncoded(proxy.user), QUrl::StrictMode);
    url.setHost(proxy.host);
    url.setPort(proxy.port);
    return url;
}

/// Hides the values of options that contain a password by their name, such as `sentinel-password`.
QString withoutSecretOptions(const QString &url)
{
    const qsizetype mark = url.indexOf(u'?');
    if (mark < 0)
        return url;
    QStringList options = url.sliced(mark + 1).split(u'&');
    for (QString &option : options) {
        const qsizetype value = option.indexOf(u'=') + 1;
        const QString name = QUrl::fromPercentEncoding(option.first(value).toUtf8());
        if (name.endsWith(QLatin1String("password="), Qt::CaseInsensitive))
            option = option.first(value) + QStringLiteral("(hidden)");
    }
    return url.first(mark + 1) + options.join(u'&');
}

} // namespace

QString withoutSecret(const QString &typed)
{
    const QString url = withoutSecretOptions(typed);
    const qsizetype at = std::max(url.lastIndexOf(u'@'), url.lastIndexOf(QLatin1String("%40")));
    if (at < 0)
        return url;
    const qsizetype scheme = url.indexOf(QLatin1String("://"));
    const qsizetype begin = scheme < 0 ? 0 : scheme + 3;
    return at < begin ? url : url.first(begin) + QStringLiteral("(hidden)") + url.sliced(at);
}

Result<Proxy> Proxy::fromUrl(const QString &url)
{
    const QUrl parsed(url, QUrl::StrictMode);
    const bool isSocks = parsed.scheme() == u"socks5" || parsed.scheme() == u"socks5h";
    const bool hasMore = parsed.path().size() > 1 || parsed.hasQuery() || parsed.hasFragment();
    if (!parsed.isValid() || (!isSocks && parsed.scheme() != u"http") || parsed.host().isEmpty() || parsed.port() <= 0
        || hasMore)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the proxy \"%1\" cannot be read; write it like socks5://host:1080 or "
                                                 "http://user:password@host:3128"),
                       withoutSecret(url));
    return Proxy {isSocks ? Kind::Socks5 : Kind::Http, parsed.host(QUrl::FullyDecoded),
                  static_cast<quint16>(parsed.port()), percentDecoded(parsed.userName(QUrl::FullyEncoded)),
                  percentDecoded(parsed.password(QUrl::FullyEncoded))};
}

QString Proxy::display() const
{
    return QString::fromLatin1(urlOf(*this).toEncoded());
}

QString Proxy::toUrlWithPassword() const
{
    QUrl url = urlOf(*this);
    if (!password.isEmpty())
        url.setPassword(percentEncoded(password), QUrl::StrictMode);
    return QString::fromLatin1(url.toEncoded());
}

} // namespace latchkey::net

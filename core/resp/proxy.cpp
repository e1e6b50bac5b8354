#include "core/resp/proxy.h"

#include <QUrl>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// A secret may stand before the last `@`, or in a text that is no URL at all.
QString withoutSecret(const QString &url)
{
    const qsizetype at = url.lastIndexOf(u'@');
    return at < 0 ? url : QStringLiteral("(hidden)") + url.sliced(at);
}

QUrl urlOf(const Proxy &proxy)
{
    QUrl url;
    url.setScheme(proxy.kind == Proxy::Kind::Socks5 ? QStringLiteral("socks5") : QStringLiteral("http"));
    if (!proxy.user.isEmpty()) // Qt 6.8 writes an "@" for an empty name as well.
        url.setUserName(proxy.user, QUrl::DecodedMode);
    url.setHost(proxy.host);
    url.setPort(proxy.port);
    return url;
}

} // namespace

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
                  static_cast<quint16>(parsed.port()), parsed.userName(QUrl::FullyDecoded),
                  parsed.password(QUrl::FullyDecoded)};
}

QString Proxy::display() const
{
    return QString::fromLatin1(urlOf(*this).toEncoded());
}

QString Proxy::toUrlWithPassword() const
{
    QUrl url = urlOf(*this);
    if (!password.isEmpty())
        url.setPassword(password, QUrl::DecodedMode);
    return QString::fromLatin1(url.toEncoded());
}

} // namespace latchkey::resp

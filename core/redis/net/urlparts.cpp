#include "core/redis/net/urlparts.h"

#include "core/redis/net/proxy.h"

#include <QUrl>

namespace latchkey::net {

using base::failure;
using base::Result;

namespace {

/// Returns whether a URL with this host is parsed to the same host. QUrl decodes the zone of an IPv6 address (`%eth0`)
/// unless it is ASCII.
bool isWrittenAsItIs(const QString &host)
{
    QUrl url;
    url.setHost(host);
    const QUrl again(QString::fromLatin1(url.toEncoded()), QUrl::StrictMode);
    return !host.isEmpty() && again.host(QUrl::FullyDecoded) == host;
}

} // namespace

tl::unexpected<base::Error> urlRefusal(const QString &url, const base::Text &why)
{
    return failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the URL \"%1\" %2"), withoutSecret(url), why);
}

Result<HostPort> hostPortFrom(const QString &url, const QUrl &parsed, quint16 defaultPort)
{
    const QString host = parsed.host(QUrl::FullyDecoded);
    if (!isWrittenAsItIs(host))
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "lacks a host, as in redis://127.0.0.1:6379")));
    const int port = parsed.port(defaultPort);
    if (port == 0)
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "names port 0; ports go from 1 to 65535")));
    return HostPort {host, static_cast<quint16>(port)};
}

} // namespace latchkey::net

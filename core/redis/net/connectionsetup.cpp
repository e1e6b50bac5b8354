#include "core/redis/net/connectionsetup.h"

#include "core/foundation/base/duration.h"
#include "core/redis/ssh/tunnel.h"

#include <QAuthenticator>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpSocket>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Name of a dynamic property of a socket: the proxy requires a password.
constexpr const char *wantsProxyPassword = "latchkey_wantsProxyPassword";

/// Enables keep-alive, so that a dead peer is noticed within seconds instead of the kernel's two hours.
void enableKeepAlive(qintptr descriptor)
{
    const auto set = [socket = static_cast<int>(descriptor)](int option, int value) {
        ::setsockopt(socket, IPPROTO_TCP, option, &value, sizeof value);
    };
    set(TCP_KEEPIDLE, 5);
    set(TCP_KEEPINTVL, 2);
    set(TCP_KEEPCNT, 3);
    set(TCP_USER_TIMEOUT, 10'000);
}

bool isProxyAsking(const QAbstractSocket &socket, const Endpoint &endpoint)
{
    return endpoint.proxy
        && (socket.error() == QAbstractSocket::ProxyAuthenticationRequiredError
            || socket.property(wantsProxyPassword).toBool());
}

/// Returns the text of a proxy that asks for a password. If a password was sent, the proxy has refused it.
base::Text proxyAuthenticationText(const Proxy &proxy)
{
    return proxy.password.isEmpty()
             ? base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 requires a user and a password: write them into its "
                                                    "URL, or set LATCHKEY_PROXY_PASSWORD"),
                          proxy.display())
             : base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 rejects this user and password"), proxy.display());
}

} // namespace

QByteArray clientName()
{
    return QByteArrayLiteral("latchkey");
}

base::Text unreachable(const Endpoint &endpoint, const base::Text &why)
{
    const base::Text text(QT_TRANSLATE_NOOP("core", "cannot connect to %1: %2"), endpoint.display(), why);
    if (!endpoint.source.isAnnounced)
        return text;
    const HostPort at {endpoint.host, endpoint.port};
    if (const auto announced = endpoint.addresses.announcedFor(at))
        return base::Text(QT_TRANSLATE_NOOP("core", "%1; ?map= in the URL gives this address for the announced %2"),
                          text, hostPortText(*announced));
    return base::Text(QT_TRANSLATE_NOOP("core", "%1; if this machine reaches the announced address %2 elsewhere, add "
                                                "?map=%2=HOST:PORT to the URL"),
                      text, hostPortText(at));
}

void chooseProxy(QAbstractSocket &socket, const Endpoint &endpoint)
{
    if (!endpoint.proxy) {
        // Debian's Qt would use the proxy of http_proxy. Redis traffic uses a proxy only if the user sets one.
        socket.setProxy(QNetworkProxy::NoProxy);
        return;
    }
    const Proxy &proxy = *endpoint.proxy;
    socket.setProxy(
        QNetworkProxy(proxy.kind == Proxy::Kind::Socks5 ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy,
                      proxy.host, proxy.port, proxy.user, proxy.password));
    // Not every proxy error indicates a missing or wrong password; this signal does.
    QObject::connect(&socket, &QAbstractSocket::proxyAuthenticationRequired, &socket,
                     [&socket] { socket.setProperty(wantsProxyPassword, true); });
}

base::Error notConnected(const QAbstractSocket &socket, const Endpoint &endpoint)
{
    return {isProxyAsking(socket, endpoint) ? ErrorKind::ProxyAuthentication : ErrorKind::Unreachable,
            unreachable(endpoint, reasonOf(socket, endpoint))};
}

base::Text reasonOf(const QAbstractSocket &socket, const Endpoint &endpoint)
{
    if (!endpoint.proxy)
        return socket.errorString();
    const QString proxy = endpoint.proxy->display();
    const QString target = QStringLiteral("%1:%2").arg(endpoint.host).arg(endpoint.port);
    if (isProxyAsking(socket, endpoint))
        return proxyAuthenticationText(*endpoint.proxy);
    switch (socket.error()) {
    case QAbstractSocket::ProxyConnectionRefusedError:
    case QAbstractSocket::ProxyNotFoundError:
    case QAbstractSocket::ProxyConnectionTimeoutError:
        return base::Text(QT_TRANSLATE_NOOP("core", "cannot connect to the proxy %1: %2"), proxy, socket.errorString());
    case QAbstractSocket::ProxyConnectionClosedError:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 closed the connection; check its protocol"), proxy);
    case QAbstractSocket::SocketAccessError:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 does not permit connections to %2"), proxy, target);
    case QAbstractSocket::HostNotFoundError: // Qt also reports a proxy's "not allowed" for a host name with this error.
        return base::Text(
            QT_TRANSLATE_NOOP("core",
                              "the proxy %1 does not find the host \"%2\", or does not permit connections to it"),
            proxy, endpoint.host);
    default:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 cannot reach %2: %3"), proxy, target,
                          socket.errorString());
    }
}

/// Returns why the server refused the connection. A server that closes the connection after the first received bytes
/// usually requires TLS, because OpenSSL sends no alert to a peer without TLS.
base::Error explainFailure(const Endpoint &endpoint, const base::Error &error, bool hasReceivedData,
                           const TlsVerifier *verifier, ssh::Tunnel *tunnel)
{
    if (tunnel != nullptr && !hasReceivedData) {
        if (const base::Text why = tunnel->forwardingError(); !why.isEmpty())
            return {ErrorKind::Unreachable, unreachable(endpoint, why)};
    }
    if (verifier != nullptr && error.kind == ErrorKind::ConnectionLost && !verifier->problem().isEmpty())
        return {ErrorKind::Unreachable, unreachable(endpoint, verifier->problem())};
    if (endpoint.tls || hasReceivedData || error.kind != ErrorKind::ConnectionLost
        || endpoint.transport != Endpoint::Transport::Tcp)
        return error;
    return {ErrorKind::Unreachable,
            base::Text(QT_TRANSLATE_NOOP("core", "%1: the server closed the connection without a reply; a TLS port "
                                                 "does so, and its URL begins with rediss://"),
                       endpoint.display())};
}

/// Returns the text for a missing TLS handshake: a server without TLS waits for the end of a command, and sends
/// nothing.
base::Text noHandshake(std::chrono::milliseconds timeout)
{
    return base::Text(QT_TRANSLATE_NOOP("core",
                                        "no answer to the TLS handshake within %1, as from a port that does not "
                                        "speak TLS: such a URL begins with redis://"),
                      base::formatDuration(timeout));
}

void setUp(QTcpSocket &socket)
{
    socket.setSocketOption(QAbstractSocket::LowDelayOption, 1);
    socket.setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    // Behind a proxy the descriptor does not belong to this socket.
    if (socket.proxy().type() == QNetworkProxy::NoProxy)
        enableKeepAlive(socket.socketDescriptor());
}

Result<std::unique_ptr<TlsVerifier>> beginEncryption(QSslSocket &socket, const Endpoint &endpoint)
{
    const auto configuration = sslConfiguration(*endpoint.tls);
    if (!configuration)
        return failure(configuration.error());
    socket.setSslConfiguration(*configuration);
    const QString &name = endpoint.tls->serverName;
    socket.setPeerVerifyName(name.isEmpty() ? endpoint.host : name);
    auto verifier = std::make_unique<TlsVerifier>(socket, *endpoint.tls);
    socket.startClientEncryption();
    // The TLS handshake does not begin in this case, and no further error follows.
    if (socket.error() == QAbstractSocket::SslInternalError
        || socket.error() == QAbstractSocket::SslInvalidUserDataError)
        return failure(ErrorKind::Usage, endpoint.tls->keyFile.isEmpty()
                                             ? unreachable(endpoint, reasonOf(socket, endpoint))
                                             : base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not the key of \"%2\""),
                                                          endpoint.tls->keyFile, endpoint.tls->certificateFile));
    return verifier;
}

} // namespace latchkey::net

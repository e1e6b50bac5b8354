#include "core/resp/letin.h"

#include "core/base/duration.h"
#include "core/ssh/tunnel.h"

#include <QAuthenticator>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpSocket>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// A property of a socket.
constexpr const char *wantsProxyPassword = "latchkey_wantsProxyPassword";

/// A peer that vanished without a word is noticed within seconds, not after the kernel's two hours.
void noticeDeadPeers(qintptr descriptor)
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

/// With a password it has refused that one.
base::Text proxyWants(const Proxy &proxy)
{
    return proxy.password.isEmpty()
             ? base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 wants a user and a password: write them into its "
                                                    "URL, or set LATCHKEY_PROXY_PASSWORD"),
                          proxy.display())
             : base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 does not take this user and password"),
                          proxy.display());
}

} // namespace

QByteArray clientName()
{
    return QByteArrayLiteral("latchkey");
}

base::Text unreachable(const Endpoint &endpoint, const base::Text &why)
{
    return base::Text(QT_TRANSLATE_NOOP("core", "cannot connect to %1: %2"), endpoint.display(), why);
}

void chooseProxy(QAbstractSocket &socket, const Endpoint &endpoint)
{
    if (!endpoint.proxy) {
        // Debian's Qt would take the one of http_proxy. What goes to Redis goes nowhere else unless the user says so.
        socket.setProxy(QNetworkProxy::NoProxy);
        return;
    }
    const Proxy &proxy = *endpoint.proxy;
    socket.setProxy(
        QNetworkProxy(proxy.kind == Proxy::Kind::Socks5 ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy,
                      proxy.host, proxy.port, proxy.user, proxy.password));
    // That it wants a password, or another one, not every proxy's answer tells by its error.
    QObject::connect(&socket, &QAbstractSocket::proxyAuthenticationRequired, &socket,
                     [&socket] { socket.setProperty(wantsProxyPassword, true); });
}

base::Error notConnected(const QAbstractSocket &socket, const Endpoint &endpoint)
{
    const base::Text text = unreachable(endpoint, reasonOf(socket, endpoint));
    if (!isProxyAsking(socket, endpoint))
        return {ErrorKind::Unreachable, text};
    // Trying again with the same would change nothing.
    return {endpoint.proxy->password.isEmpty() ? ErrorKind::AuthenticationRequired : ErrorKind::WrongPassword, text};
}

bool isOfTheProxy(const base::Error &error, const Endpoint &endpoint)
{
    return endpoint.proxy && error.text == unreachable(endpoint, proxyWants(*endpoint.proxy));
}

base::Text reasonOf(const QAbstractSocket &socket, const Endpoint &endpoint)
{
    if (!endpoint.proxy)
        return socket.errorString();
    const QString proxy = endpoint.proxy->display();
    const QString target = QStringLiteral("%1:%2").arg(endpoint.host).arg(endpoint.port);
    if (isProxyAsking(socket, endpoint))
        return proxyWants(*endpoint.proxy);
    switch (socket.error()) {
    case QAbstractSocket::ProxyConnectionRefusedError:
    case QAbstractSocket::ProxyNotFoundError:
    case QAbstractSocket::ProxyConnectionTimeoutError:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 is not there: %2"), proxy, socket.errorString());
    case QAbstractSocket::ProxyConnectionClosedError:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 hung up; does it speak that protocol?"), proxy);
    case QAbstractSocket::SocketAccessError:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 lets nobody through to %2"), proxy, target);
    case QAbstractSocket::HostNotFoundError: // For Qt, of a name, a proxy's "not allowed" is this as well.
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 finds no host \"%2\", or lets nobody through to it"),
                          proxy, endpoint.host);
    default:
        return base::Text(QT_TRANSLATE_NOOP("core", "the proxy %1 cannot reach %2: %3"), proxy, target,
                          socket.errorString());
    }
}

/// A server that hangs up at our first bytes and has not said a word is
/// most often one that wants TLS: OpenSSL sends no alert to who does not speak it.
base::Error whyNotLetIn(const Endpoint &endpoint, const base::Error &error, bool hasHeard, const TlsWitness *witness,
                        ssh::Tunnel *tunnel)
{
    if (tunnel != nullptr && !hasHeard) {
        if (const base::Text why = tunnel->whyNoWayOn(); !why.isEmpty())
            return {ErrorKind::Unreachable, unreachable(endpoint, why)};
    }
    if (witness != nullptr && error.kind == ErrorKind::ConnectionLost && !witness->problem().isEmpty())
        return {ErrorKind::Unreachable, unreachable(endpoint, witness->problem())};
    if (endpoint.tls || hasHeard || error.kind != ErrorKind::ConnectionLost
        || endpoint.transport != Endpoint::Transport::Tcp)
        return error;
    return {
        ErrorKind::Unreachable,
        base::Text(QT_TRANSLATE_NOOP("core", "%1: the server hung up without a word, as a port does that wants TLS: "
                                             "such a URL begins with rediss://"),
                   endpoint.display())};
}

/// A server that has no TLS waits for a command's end, and so says nothing.
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
    // Behind a proxy it has a descriptor in name only, which is another's.
    if (socket.proxy().type() == QNetworkProxy::NoProxy)
        noticeDeadPeers(socket.socketDescriptor());
}

Result<std::unique_ptr<TlsWitness>> beginEncryption(QSslSocket &socket, const Endpoint &endpoint)
{
    const auto configuration = sslConfiguration(*endpoint.tls);
    if (!configuration)
        return failure(configuration.error());
    socket.setSslConfiguration(*configuration);
    const QString &name = endpoint.tls->serverName;
    socket.setPeerVerifyName(name.isEmpty() ? endpoint.host : name);
    auto witness = std::make_unique<TlsWitness>(socket, *endpoint.tls);
    socket.startClientEncryption();
    // It never begins then, and says nothing more.
    if (socket.error() == QAbstractSocket::SslInternalError
        || socket.error() == QAbstractSocket::SslInvalidUserDataError)
        return failure(ErrorKind::Usage, endpoint.tls->keyFile.isEmpty()
                                             ? unreachable(endpoint, reasonOf(socket, endpoint))
                                             : base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not the key of \"%2\""),
                                                          endpoint.tls->keyFile, endpoint.tls->certificateFile));
    return witness;
}

} // namespace latchkey::resp

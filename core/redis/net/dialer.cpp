#include "core/redis/net/dialer.h"

#include "core/foundation/base/duration.h"
#include "core/redis/net/connectionsetup.h"
#include "core/redis/net/descriptordevice.h"
#include "core/redis/net/primaryfinder.h"
#include "core/redis/ssh/tunnels.h"

#include <QLocalSocket>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpSocket>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Read buffer limit in bytes. If the reader is slow, further replies wait in the server.
constexpr qint64 readBufferSize = 4LL * 1024 * 1024;

/// Returns the error without the function name that QLocalSocket puts before it.
base::Text reasonOf(const QLocalSocket &socket)
{
    switch (socket.error()) {
    case QLocalSocket::ServerNotFoundError:
        return base::Text(QT_TRANSLATE_NOOP("core", "there is no such socket"));
    case QLocalSocket::ConnectionRefusedError:
        return base::Text(QT_TRANSLATE_NOOP("core", "Connection refused"));
    case QLocalSocket::SocketAccessError:
        return base::Text(QT_TRANSLATE_NOOP("core", "Permission denied"));
    default:
        return socket.errorString();
    }
}

} // namespace

Dialer::Dialer(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        const bool isShakingHands = m_verifier && !m_connection;
        finish(failure(ErrorKind::Unreachable,
                       unreachable(m_endpoint, isShakingHands
                                                   ? noHandshake(m_timeout)
                                                   : base::Text(QT_TRANSLATE_NOOP("core", "no answer within %1"),
                                                                base::formatDuration(m_timeout)))));
    });
}

Dialer::~Dialer()
{
    if (m_device)
        m_device->disconnect(this);
}

void Dialer::dial(const Endpoint &endpoint, std::chrono::milliseconds timeout, Callback done)
{
    Q_ASSERT(!m_done);
    m_endpoint = endpoint;
    m_timeout = timeout;
    m_done = std::move(done);
    if (endpoint.sentinels)
        return findPrimary();
    if (endpoint.ssh)
        return findTunnel();
    m_deadline.start(timeout);
    if (endpoint.transport == Endpoint::Transport::Unix)
        return adopt(std::make_unique<QLocalSocket>()).connectToServer(endpoint.path);
    QTcpSocket &socket = endpoint.tls ? adopt(std::make_unique<QSslSocket>()) : adopt(std::make_unique<QTcpSocket>());
    chooseProxy(socket, endpoint);
    socket.connectToHost(endpoint.host, endpoint.port);
}

void Dialer::findPrimary()
{
    m_finder = std::make_unique<PrimaryFinder>(m_endpoint, m_knownPrimary, m_clock, m_limits);
    m_finder->find(m_timeout, [this](Result<DialResult<Connection>> found) { finish(std::move(found)); });
}

/// Finds the ssh tunnel without a time limit, because the user may be asked.
void Dialer::findTunnel()
{
    auto tunnel = ssh::Tunnels::instance().tunnelTo(*m_endpoint.ssh, m_endpoint.target(), m_timeout);
    if (!tunnel) {
        QMetaObject::invokeMethod(
            this, [this, error = tunnel.error()] { finish(failure(error)); }, Qt::QueuedConnection);
        return;
    }
    m_tunnel = std::move(*tunnel);
    connect(
        m_tunnel.get(), &ssh::Tunnel::ended, this,
        [this] {
            if (m_tunnel)
                finish(failure(m_tunnel->error().kind, unreachable(m_endpoint, m_tunnel->error().text)));
        },
        Qt::QueuedConnection);
    if (m_tunnel->state() == ssh::Tunnel::State::Open)
        connectThroughTunnel();
    else
        connect(m_tunnel.get(), &ssh::Tunnel::opened, this, &Dialer::connectThroughTunnel, Qt::QueuedConnection);
}

void Dialer::connectThroughTunnel()
{
    if (!m_tunnel)
        return;
    m_deadline.start(m_timeout);
    const QString path = m_tunnel->socketPath();
    if (!m_endpoint.tls) {
        QLocalSocket &socket = adopt(std::make_unique<QLocalSocket>());
        ssh::keepFor(socket, m_tunnel);
        return socket.connectToServer(path);
    }
    // A Unix socket connects at once or fails.
    auto near = DescriptorDevice::connectTo(Endpoint::unixSocket(path), QDeadlineTimer(m_timeout));
    QSslSocket &socket = adopt(std::make_unique<QSslSocket>());
    ssh::keepFor(socket, m_tunnel);
    if (near)
        socket.setSocketDescriptor((*near)->takeDescriptor());
    QMetaObject::invokeMethod(
        this,
        [this, error = near ? std::optional<base::Error>() : near.error()] {
            if (error)
                finish(failure(*error));
            else
                encrypt();
        },
        Qt::QueuedConnection);
}

/// Returns the error that ssh reported for the connection from its login host to the server.
base::Text Dialer::forwardingError()
{
    return m_tunnel ? m_tunnel->forwardingError() : base::Text();
}

template<typename Socket>
Socket &Dialer::adopt(std::unique_ptr<Socket> socket)
{
    Socket *const raw = socket.get();
    m_device = std::move(socket);
    raw->setReadBufferSize(readBufferSize);
    // Queued: a Unix socket connects before connectToServer() returns, and the device must not be replaced within that
    // call.
    if constexpr (std::is_same_v<Socket, QSslSocket>) {
        connect(raw, &QSslSocket::connected, this, &Dialer::encrypt, Qt::QueuedConnection);
        connect(raw, &QSslSocket::encrypted, this, &Dialer::encrypted, Qt::QueuedConnection);
    } else {
        connect(raw, &Socket::connected, this, [this] { startHandshake(std::move(m_device)); }, Qt::QueuedConnection);
    }
    connect(
        raw, &Socket::errorOccurred, this,
        [this, raw] {
            base::Text why = forwardingError();
            if (why.isEmpty() && m_verifier)
                why = m_verifier->problem();
            if constexpr (std::is_same_v<Socket, QLocalSocket>)
                why = why.isEmpty() ? reasonOf(*raw) : why;
            else if (why.isEmpty())
                return finish(failure(notConnected(*raw, m_endpoint)));
            finish(failure(ErrorKind::Unreachable, unreachable(m_endpoint, why)));
        },
        Qt::QueuedConnection);
    return *raw;
}

void Dialer::encrypt()
{
    auto *socket = qobject_cast<QSslSocket *>(m_device.get());
    if (socket == nullptr)
        return;
    auto verifier = beginEncryption(*socket, m_endpoint);
    if (!verifier)
        return finish(failure(std::move(verifier.error())));
    m_verifier = std::move(*verifier);
}

void Dialer::encrypted()
{
    if (!m_device)
        return;
    if (m_verifier->isTrusted())
        startHandshake(std::move(m_device));
    else
        finish(failure(ErrorKind::Unreachable, unreachable(m_endpoint, m_verifier->problem())));
}

void Dialer::startHandshake(std::unique_ptr<QIODevice> device)
{
    if (!device)
        return;
    device->disconnect(this);
    if (auto *tcp = qobject_cast<QTcpSocket *>(device.get()))
        setUp(*tcp);
    m_connection = std::make_unique<Connection>(std::move(device), m_endpoint.display(), m_clock, m_limits);
    const Handshake handshake(m_endpoint, clientName(), m_peer);
    m_connection->send(handshake.commands(), m_timeout, this, [this, handshake](Result<Connection::Delivery> delivery) {
        if (!delivery) {
            return finish(failure(explainFailure(m_endpoint, delivery.error(), m_connection->hasReceivedData(),
                                                 m_verifier.get(), m_tunnel.get())));
        }
        if (m_tunnel)
            m_tunnel->clearReportedErrors();
        auto server = handshake.evaluate(delivery->replies);
        if (!server)
            return finish(failure(std::move(server.error())));
        finish(DialResult<Connection> {std::move(m_connection), std::move(*server), delivery->received - delivery->sent,
                                       m_endpoint});
    });
}

void Dialer::finish(Result<DialResult<Connection>> result)
{
    if (!m_done)
        return;
    m_deadline.stop();
    m_needsUserAction = m_tunnel && m_tunnel->needsUserAction();
    if (m_tunnel)
        m_tunnel->disconnect(this);
    m_tunnel.reset();
    m_device.reset();
    m_refused = m_verifier ? m_verifier->refused() : std::nullopt;
    if (m_finder) {
        m_needsUserAction = m_finder->lastAttempt()->needsUserAction();
        m_refused = m_finder->lastAttempt()->refusedCertificate();
        m_finder.release()->deleteLater(); // Deleted later, because it is the caller.
    }
    m_verifier.reset();
    m_connection.reset(); // Null if it was handed over. A connection may be destroyed within its own callback.
    const Callback done = std::exchange(m_done, nullptr);
    done(std::move(result));
}

} // namespace latchkey::net

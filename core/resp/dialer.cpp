#include "core/resp/dialer.h"

#include "core/base/duration.h"
#include "core/resp/codec.h"
#include "core/resp/handshake.h"
#include "core/resp/letin.h"
#include "core/resp/servererror.h"

#include <QLocalSocket>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpSocket>

#include <array>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Beyond this a slow reader makes the server's replies wait in the server, not here.
constexpr qint64 readBufferSize = 4LL * 1024 * 1024;

/// QLocalSocket puts the name of its own function before what is wrong.
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

/// A second hold on a socket, so that what has arrived is not lost with the first.
///
/// A server that has no room says so at once and hangs up. Where the handshake is written after that, the write fails,
/// and Qt closes the socket with what is unread in it.
class SecondHold final
{
public:
    explicit SecondHold(qintptr descriptor)
        : m_descriptor(descriptor < 0 ? -1
                                      : ::fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, 3)) // NOLINT(*-vararg)
    {}
    ~SecondHold()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Q_DISABLE_COPY_MOVE(SecondHold)

    /// Why the server has hung up, where what it said last tells: that it has no room, or what is no Redis server's.
    [[nodiscard]] std::optional<base::Error> farewell() const
    {
        std::array<char, 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv().
        const ssize_t count = ::recv(m_descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count <= 0)
            return std::nullopt;
        Replies replies;
        if (const auto fed = ReplyReader().feed(QByteArrayView(buffer.data(), count), replies); !fed)
            return fed.error();
        return resp::farewell(replies);
    }

private:
    int m_descriptor;
};

qintptr descriptorOf(const QIODevice &device)
{
    if (const auto *local = qobject_cast<const QLocalSocket *>(&device))
        return local->socketDescriptor();
    const auto *tcp = qobject_cast<const QTcpSocket *>(&device);
    return tcp == nullptr ? -1 : tcp->socketDescriptor();
}

} // namespace

Dialer::Dialer(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        const bool isShakingHands = m_witness && !m_connection;
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
    m_deadline.start(timeout);
    if (endpoint.transport == Endpoint::Transport::Unix)
        open(std::make_unique<QLocalSocket>());
    else if (endpoint.tls)
        open(std::make_unique<QSslSocket>());
    else
        open(std::make_unique<QTcpSocket>());
}

template<typename Socket>
void Dialer::open(std::unique_ptr<Socket> socket)
{
    Socket *const raw = socket.get();
    m_device = std::move(socket);
    raw->setReadBufferSize(readBufferSize);
    // Queued: a Unix socket is connected before connectToServer() returns, and the device must not be replaced in
    // there.
    if constexpr (std::is_same_v<Socket, QSslSocket>) {
        connect(raw, &QSslSocket::connected, this, &Dialer::encrypt, Qt::QueuedConnection);
        connect(raw, &QSslSocket::encrypted, this, &Dialer::encrypted, Qt::QueuedConnection);
    } else {
        connect(raw, &Socket::connected, this, [this] { shakeHands(std::move(m_device)); }, Qt::QueuedConnection);
    }
    connect(
        raw, &Socket::errorOccurred, this,
        [this, raw] {
            const base::Text problem = m_witness ? m_witness->problem() : base::Text();
            finish(
                failure(ErrorKind::Unreachable, unreachable(m_endpoint, problem.isEmpty() ? reasonOf(*raw) : problem)));
        },
        Qt::QueuedConnection);
    if constexpr (std::is_same_v<Socket, QLocalSocket>) {
        raw->connectToServer(m_endpoint.path);
    } else {
        // Debian's Qt would take the one of http_proxy. What goes to Redis goes nowhere else unless the user says so.
        raw->setProxy(QNetworkProxy::NoProxy);
        raw->connectToHost(m_endpoint.host, m_endpoint.port);
    }
}

void Dialer::encrypt()
{
    auto *socket = qobject_cast<QSslSocket *>(m_device.get());
    if (socket == nullptr)
        return;
    auto witness = beginEncryption(*socket, m_endpoint);
    if (!witness)
        return finish(failure(std::move(witness.error())));
    m_witness = std::move(*witness);
}

void Dialer::encrypted()
{
    if (!m_device)
        return;
    if (m_witness->isTrusted())
        shakeHands(std::move(m_device));
    else
        finish(failure(ErrorKind::Unreachable, unreachable(m_endpoint, m_witness->problem())));
}

void Dialer::shakeHands(std::unique_ptr<QIODevice> device)
{
    if (!device)
        return;
    device->disconnect(this);
    if (auto *tcp = qobject_cast<QTcpSocket *>(device.get()))
        setUp(*tcp);
    // What is encrypted only its own socket can read.
    const auto hold = std::make_shared<SecondHold>(m_witness ? -1 : descriptorOf(*device));
    m_connection = std::make_unique<Connection>(std::move(device), m_endpoint.display(), m_clock, m_limits);
    const Handshake handshake(m_endpoint, clientName());
    m_connection->send(handshake.commands(), m_timeout, [this, handshake, hold](Result<Connection::Delivery> delivery) {
        if (!delivery) {
            const auto said = hold->farewell();
            return finish(
                failure(said ? said->during(m_endpoint.display())
                             : whyNotLetIn(m_endpoint, delivery.error(), m_connection->hasHeard(), m_witness.get())));
        }
        auto server = handshake.judge(delivery->replies);
        if (!server)
            return finish(failure(std::move(server.error())));
        finish(Dialled<Connection> {std::move(m_connection), std::move(*server), delivery->received - delivery->sent});
    });
}

void Dialer::finish(Result<Dialled<Connection>> result)
{
    if (!m_done)
        return;
    m_deadline.stop();
    m_device.reset();
    m_witness.reset();
    m_connection.reset(); // Null where it has been handed over; else it does not mind being destroyed by its callback.
    const Callback done = std::exchange(m_done, nullptr);
    done(std::move(result));
}

} // namespace latchkey::resp

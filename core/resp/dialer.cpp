#include "core/resp/dialer.h"

#include "core/base/duration.h"
#include "core/resp/codec.h"
#include "core/resp/descriptordevice.h"
#include "core/resp/handshake.h"
#include "core/resp/servererror.h"

#include <QElapsedTimer>
#include <QLocalSocket>
#include <QNetworkProxy>
#include <QTcpSocket>

#include <array>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

QByteArray clientName()
{
    return QByteArrayLiteral("latchkey");
}

/// Beyond this a slow reader makes the server's replies wait in the server, not here.
constexpr qint64 readBufferSize = 4LL * 1024 * 1024;

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

base::Text unreachable(const Endpoint &endpoint, const base::Text &why)
{
    return base::Text(QT_TRANSLATE_NOOP("core", "cannot connect to %1: %2"), endpoint.display(), why);
}

base::Text reasonOf(const QTcpSocket &socket)
{
    return socket.errorString();
}

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

/// What ended a connection before it was let in. A server that hangs up at our first bytes and has not said a word is
/// most often one that wants TLS: OpenSSL sends no alert to who does not speak it.
base::Error whyNotLetIn(const Endpoint &endpoint, const base::Error &error, bool hasHeard)
{
    if (hasHeard || error.kind != ErrorKind::ConnectionLost || endpoint.transport != Endpoint::Transport::Tcp)
        return error;
    return {
        ErrorKind::Unreachable,
        base::Text(QT_TRANSLATE_NOOP("core", "%1: the server hung up without a word, as a port does that wants TLS, "
                                             "which Latchkey does not speak yet"),
                   endpoint.display())};
}

/// A second hold on a socket, so that what has arrived is not lost with the first.
///
/// A server that has no room says so at once and hangs up. Where the handshake is written after that, the write fails,
/// and Qt closes the socket with what is unread in it.
class SecondHold final
{
public:
    explicit SecondHold(qintptr descriptor)
        : m_descriptor(::fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, 3)) // NOLINT(*-vararg)
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

/// Logging in over a connection that has just been made, in two halves so that several log in side by side.
class Login final
{
public:
    Login(Result<std::unique_ptr<DescriptorDevice>> device, const Endpoint &endpoint, QDeadlineTimer deadline)
        : m_endpoint(endpoint)
        , m_handshake(endpoint, clientName())
    {
        m_roundTrip.start();
        if (!device) {
            m_sent = failure(std::move(device.error()));
            return;
        }
        m_connection = std::make_unique<BlockingConnection>(std::move(*device), endpoint.display());
        m_sent = m_connection->send(m_handshake.commands(), deadline);
    }

    [[nodiscard]] Result<Dialled<BlockingConnection>> finish(QDeadlineTimer deadline)
    {
        if (!m_sent)
            return m_connection ? notLetIn(m_sent.error()) : failure(m_sent.error());
        const auto replies = m_connection->collect(deadline);
        if (!replies)
            return notLetIn(replies.error());
        auto server = m_handshake.judge(*replies);
        if (!server)
            return failure(std::move(server.error()));
        return Dialled<BlockingConnection> {std::move(m_connection), std::move(*server),
                                            std::chrono::nanoseconds(m_roundTrip.nsecsElapsed())};
    }

private:
    [[nodiscard]] tl::unexpected<base::Error> notLetIn(const base::Error &error) const
    {
        return failure(whyNotLetIn(m_endpoint, error, m_connection->hasHeard()));
    }

    const Endpoint m_endpoint;
    const Handshake m_handshake;
    std::unique_ptr<BlockingConnection> m_connection;
    Result<void> m_sent;
    QElapsedTimer m_roundTrip;
};

} // namespace

Result<Dialled<BlockingConnection>> dialBlocking(const Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    return Login(DescriptorDevice::connectTo(endpoint, deadline), endpoint, deadline).finish(deadline);
}

std::vector<Result<Dialled<BlockingConnection>>> dialBlocking(const std::vector<Endpoint> &endpoints,
                                                              std::chrono::milliseconds timeout)
{
    const QDeadlineTimer connected(timeout / 2, Qt::PreciseTimer);
    const QDeadlineTimer loggedIn(timeout, Qt::PreciseTimer);
    std::vector<Connecting> connecting;
    connecting.reserve(endpoints.size());
    for (const Endpoint &endpoint : endpoints)
        connecting.emplace_back(endpoint);

    std::vector<Login> logins;
    logins.reserve(endpoints.size());
    for (std::size_t i = 0; i < endpoints.size(); ++i)
        logins.emplace_back(connecting[i].finish(connected), endpoints[i], loggedIn);

    std::vector<Result<Dialled<BlockingConnection>>> results;
    results.reserve(endpoints.size());
    for (Login &login : logins)
        results.push_back(login.finish(loggedIn));
    return results;
}

Dialer::Dialer(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        finish(failure(ErrorKind::Unreachable,
                       unreachable(m_endpoint, base::Text(QT_TRANSLATE_NOOP("core", "no answer within %1"),
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
    connect(raw, &Socket::connected, this, [this] { shakeHands(std::move(m_device)); }, Qt::QueuedConnection);
    connect(
        raw, &Socket::errorOccurred, this,
        [this, raw] { finish(failure(ErrorKind::Unreachable, unreachable(m_endpoint, reasonOf(*raw)))); },
        Qt::QueuedConnection);
    if constexpr (std::is_same_v<Socket, QLocalSocket>) {
        raw->connectToServer(m_endpoint.path);
    } else {
        // Debian's Qt would take the one of http_proxy. What goes to Redis goes nowhere else unless the user says so.
        raw->setProxy(QNetworkProxy::NoProxy);
        raw->connectToHost(m_endpoint.host, m_endpoint.port);
    }
}

void Dialer::shakeHands(std::unique_ptr<QIODevice> device)
{
    if (!device)
        return;
    device->disconnect(this);
    if (auto *tcp = qobject_cast<QTcpSocket *>(device.get())) {
        tcp->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        tcp->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
        noticeDeadPeers(tcp->socketDescriptor());
    }
    const auto hold = std::make_shared<SecondHold>(descriptorOf(*device));
    m_connection = std::make_unique<Connection>(std::move(device), m_endpoint.display(), m_clock, m_limits);
    const Handshake handshake(m_endpoint, clientName());
    m_connection->send(handshake.commands(), m_timeout, [this, handshake, hold](Result<Connection::Delivery> delivery) {
        if (!delivery) {
            const auto said = hold->farewell();
            return finish(failure(said ? said->during(m_endpoint.display())
                                       : whyNotLetIn(m_endpoint, delivery.error(), m_connection->hasHeard())));
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
    m_connection.reset(); // Null where it has been handed over; else it does not mind being destroyed by its callback.
    const Callback done = std::exchange(m_done, nullptr);
    done(std::move(result));
}

} // namespace latchkey::resp

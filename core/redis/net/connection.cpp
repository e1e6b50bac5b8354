#include "core/redis/net/connection.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/base/logging.h"
#include "core/redis/resp/servererror.h"

#include <QAbstractSocket>
#include <QLocalSocket>
#include <QPointer>

#include <algorithm>

namespace latchkey::net {

using base::ErrorKind;
using base::Result;
using namespace std::chrono_literals;

namespace {

/// Maximum time for reading replies in one iteration of the event loop.
constexpr auto turn = 500us;
/// Maximum time of receiving before a write.
constexpr auto maxReceiveTime = 5ms;
constexpr qint64 bytesPerRead = 16LL * 1024;

void flush(QIODevice &device)
{
    // Without this, the socket sends only in the next iteration of the event loop.
    if (auto *socket = qobject_cast<QAbstractSocket *>(&device))
        socket->flush();
    else if (auto *local = qobject_cast<QLocalSocket *>(&device))
        local->flush();
}

} // namespace

Connection::Connection(std::unique_ptr<QIODevice> device, QString peer, const base::Clock &clock,
                       const resp::ReplyLimits &limits, QObject *parent)
    : QObject(parent)
    , m_device(std::move(device))
    , m_duplicate(*m_device)
    , m_peer(std::move(peer))
    , m_clock(clock)
    , m_conversation(limits)
{
    Q_ASSERT(m_device->isOpen());
    m_deadlineTimer.setSingleShot(true);
    m_deadlineTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_deadlineTimer, &QTimer::timeout, this, &Connection::checkDeadlines);
    connect(m_device.get(), &QIODevice::readyRead, this, [this] {
        if (m_isSending)
            scheduleRead();
        else if (!m_readScheduled) // Otherwise a read is already scheduled, and one per iteration of the event loop is
                                   // enough.
            read();
    });
    connect(m_device.get(), &QIODevice::readChannelFinished, this, &Connection::deviceFinished);
    if (auto *socket = qobject_cast<QAbstractSocket *>(m_device.get())) {
        connect(socket, &QAbstractSocket::errorOccurred, this, [this](QAbstractSocket::SocketError error) {
            if (error != QAbstractSocket::SocketTimeoutError) // A timeout is no error: no data has arrived.
                bufferUnread();
        });
        connect(socket, &QAbstractSocket::disconnected, this, &Connection::deviceFinished);
    } else if (auto *local = qobject_cast<QLocalSocket *>(m_device.get())) {
        connect(local, &QLocalSocket::errorOccurred, this, [this](QLocalSocket::LocalSocketError error) {
            if (error != QLocalSocket::SocketTimeoutError)
                bufferUnread();
        });
        connect(local, &QLocalSocket::disconnected, this, &Connection::deviceFinished);
    } else {
        connect(m_device.get(), &QIODevice::aboutToClose, this, &Connection::deviceFinished);
    }
}

Connection::~Connection()
{
    // The owner that destroys the connection must not receive closed().
    m_closed = true;
    m_device->disconnect(this);
    m_device->close();
    // Deleted later, because this may run within a signal of the device.
    m_device.release()->deleteLater();
}

std::optional<base::Error> Connection::refusalOf(const resp::Commands &commands) const
{
    if (!m_commandFilter)
        return std::nullopt;
    for (const resp::Command &command : commands) {
        if (auto refusal = m_commandFilter(command))
            return refusal;
    }
    return std::nullopt;
}

/// Returns a callback that calls the observers' callbacks before `done`.
Connection::Callback Connection::withObservers(const resp::Commands &commands, Callback done) const
{
    const auto listen = [&](const TrafficObserver &observer) {
        if (ReplyObserver replyObserver = observer ? observer(commands) : ReplyObserver()) {
            done = [replyObserver = std::move(replyObserver), done = std::move(done)](Result<Delivery> result) {
                replyObserver(result);
                done(std::move(result));
            };
        }
    };
    listen(m_trafficObserver);
    std::ranges::for_each(m_moreTrafficObservers, listen);
    return done;
}

void Connection::send(const resp::Commands &commands, std::chrono::milliseconds timeout, const QObject *context,
                      Callback done)
{
    Q_ASSERT(context != nullptr);
    done = [receiver = QPointer(context), done = std::move(done)](Result<Delivery> result) {
        if (receiver)
            done(std::move(result));
    };
    if (m_closed) {
        QMetaObject::invokeMethod(
            this,
            [peer = m_peer, done = std::move(done)] {
                done(base::failure(
                    ErrorKind::ConnectionLost,
                    base::Text::about(peer, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed")))));
            },
            Qt::QueuedConnection);
        return;
    }
    if (commands.empty()) {
        const auto now = m_clock.now();
        QMetaObject::invokeMethod(
            this, [now, done = std::move(done)] { done(Delivery {{}, now, now}); }, Qt::QueuedConnection);
        return;
    }
    if (const auto refusal = refusalOf(commands)) {
        QMetaObject::invokeMethod(
            this, [refusal = *refusal, done = std::move(done)] { done(base::failure(refusal)); }, Qt::QueuedConnection);
        return;
    }
    done = withObservers(commands, std::move(done));
    for (const resp::Command &command : commands)
        m_conversation.send(command);
    m_commandsSent += commands.size();

    timeout = std::min(timeout, m_maxTimeout.value_or(timeout));
    const auto now = m_clock.now();
    Delivery delivery {{}, now, {}};
    delivery.replies.reserve(commands.size());
    m_requests.push_back({commands.size(), now + timeout, std::move(done), std::move(delivery)});
    // A device may detect during a write that the peer has closed the connection, and TLS also reads. The caller does
    // not expect its callback or closed() yet, so the device's signals are handled in the next iteration of the event
    // loop.
    m_isSending = true;
    receiveArrived();
    if (!m_device->isOpen() || m_device->write(m_conversation.takeOutgoing()) < 0)
        deviceFinished();
    else
        flush(*m_device);
    m_isSending = false;
    if (!m_deadlineTimer.isActive() || timeout < m_deadlineTimer.remainingTimeAsDuration())
        scheduleDeadline();
}

void Connection::setMessageHandler(const QObject *context, std::function<void(const resp::Reply &)> handler)
{
    m_messageHandler = [receiver = QPointer(context), handler = std::move(handler)](const resp::Reply &message) {
        if (receiver)
            handler(message);
    };
    m_conversation.acceptMessages();
}

void Connection::close()
{
    fail({ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "%1: the connection was closed"), m_peer)});
}

/// Receives the arrived data into the buffer of the device, until no more data arrives, and for 5 ms at most. The
/// kernel of a server that has died answers the next write with a reset. The reset discards data from the server that
/// was not received yet.
void Connection::receiveArrived()
{
    const auto end = m_clock.now() + maxReceiveTime;
    while (!m_hasEnded && m_duplicate.hasArrived() && m_clock.now() < end && m_device->waitForReadyRead(0)) {}
}

/// Keeps the data that the device has received but not delivered. A socket discards such data after a failed write.
void Connection::bufferUnread()
{
    m_hasEnded = true;
    if (const qint64 count = m_device->bytesAvailable(); count > 0)
        m_unread += m_device->read(count);
}

QByteArray Connection::takeBytes()
{
    if (m_unread.isEmpty()) // A device that reported its end may already be closed internally.
        return m_hasEnded && m_device->bytesAvailable() == 0 ? QByteArray() : m_device->read(bytesPerRead);
    const QByteArray taken = m_unread.first(std::min<qsizetype>(m_unread.size(), bytesPerRead));
    m_unread.remove(0, taken.size());
    return taken;
}

qint64 Connection::bytesAvailable() const
{
    return m_unread.size() + m_device->bytesAvailable();
}

void Connection::read()
{
    const QPointer<Connection> alive(this);
    for (const auto end = m_clock.now() + turn; !m_closed && m_clock.now() < end;) {
        const QByteArray bytes = takeBytes();
        if (bytes.isEmpty())
            return;
        resp::Replies replies;
        const auto received = m_conversation.receive(bytes, replies);
        deliver(std::move(replies));
        if (!alive)
            return;
        if (!received) {
            fail(received.error().during(m_peer));
            return;
        }
    }
    if (!m_closed && bytesAvailable() > 0)
        scheduleRead();
}

bool Connection::readArrived(std::chrono::milliseconds limit)
{
    const QPointer<Connection> alive(this);
    const auto end = m_clock.now() + limit;
    // A read of the device may end the connection, and with it this object.
    const auto hasMore = [&] {
        return alive && !m_closed
            && (bytesAvailable() > 0 || (!m_hasEnded && m_device->waitForReadyRead(0) && alive && !m_closed));
    };
    do {
        read();
        if (!hasMore()) {
            if (alive && m_hasEnded)
                deviceFinished();
            return true;
        }
    } while (m_clock.now() < end);
    return false;
}

void Connection::scheduleRead()
{
    if (std::exchange(m_readScheduled, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_readScheduled = false;
            if (!m_closed)
                read();
        },
        Qt::QueuedConnection);
}

void Connection::deliver(resp::Replies replies)
{
    const QPointer<Connection> alive(this);
    const auto now = m_clock.now();
    for (resp::Reply &reply : replies) {
        if (m_closed)
            return;
        if (m_messageHandler && isMessage(reply)) {
            m_messageHandler(reply);
            if (!alive)
                return;
            continue;
        }
        if (m_requests.empty())
            return;
        Request &request = m_requests.front();
        request.delivery.replies.push_back(std::move(reply));
        if (request.delivery.replies.size() < request.expected)
            continue;
        // Removed before the call: the callback may send, close or destroy this connection.
        request.delivery.received = now;
        const Callback done = std::move(request.done);
        Delivery delivery = std::move(request.delivery);
        m_requests.pop_front();
        done(std::move(delivery));
        if (!alive)
            return;
    }
    if (m_requests.empty())
        m_deadlineTimer.stop();
}

void Connection::deviceFinished()
{
    if (m_closed)
        return;
    if (m_isSending) {
        QMetaObject::invokeMethod(this, &Connection::deviceFinished, Qt::QueuedConnection);
        return;
    }
    const QPointer<Connection> alive(this);
    // Data received before the end is still valid.
    bufferUnread();
    m_unread += m_duplicate.readArrived();
    while (bytesAvailable() > 0) {
        const qint64 before = bytesAvailable();
        read();
        if (!alive || m_closed)
            return;
        if (bytesAvailable() >= before)
            break;
    }
    if (const auto said = m_requests.empty() ? std::nullopt : resp::closingError(m_requests.front().delivery.replies))
        return fail(said->during(m_peer));
    const base::Text reason = m_device->errorString().isEmpty()
                                ? base::Text(QT_TRANSLATE_NOOP("core", "the connection ended"))
                                : base::Text(m_device->errorString());
    fail({ErrorKind::ConnectionLost,
          base::Text(QT_TRANSLATE_NOOP("core", "%1: the connection was lost (%2)"), m_peer, reason)});
}

void Connection::checkDeadlines()
{
    const auto now = m_clock.now();
    for (const Request &request : m_requests) {
        if (now < request.deadline)
            continue;
        // The thread may have been busy, or the machine suspended: the reply may have arrived in time and be unread.
        if (!std::exchange(m_hasReadAfterDeadline, true) || bytesAvailable() > 0) {
            m_deadlineTimer.start(0ms); // The event loop reads the devices first.
            return;
        }
        const auto waited = std::chrono::round<std::chrono::milliseconds>(request.deadline - request.delivery.sent);
        // A late reply would be assigned to another command, so the connection must be closed.
        fail({ErrorKind::TimedOut,
              base::Text(QT_TRANSLATE_NOOP("core", "%1: no answer within %2"), m_peer, base::formatDuration(waited))});
        return;
    }
    m_hasReadAfterDeadline = false;
    scheduleDeadline();
}

void Connection::scheduleDeadline()
{
    if (m_requests.empty())
        return;
    const auto earliest = std::ranges::min_element(
        m_requests, [](const Request &a, const Request &b) { return a.deadline < b.deadline; });
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(earliest->deadline - m_clock.now());
    m_deadlineTimer.start(std::max(wait, 0ms));
}

void Connection::fail(const base::Error &error)
{
    if (m_closed)
        return;
    m_closed = true;
    m_deadlineTimer.stop();
    m_device->disconnect(this);
    m_device->close();
    m_duplicate.close();
    qCInfo(base::lcConnection).noquote() << error.message();
    const QPointer<Connection> alive(this);
    for (const Request &request : std::exchange(m_requests, {}))
        request.done(base::failure(error));
    if (alive)
        Q_EMIT closed(error);
}

} // namespace latchkey::net

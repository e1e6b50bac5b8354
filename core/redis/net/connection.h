#pragma once

#include "core/foundation/base/clock.h"
#include "core/redis/net/conversation.h"
#include "core/redis/net/socketduplicate.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QIODevice;

namespace latchkey::net {

/// A connection on the event loop: commands and replies over an open device.
///
/// Requests are pipelined and answered in order; each has its own deadline. The connection ends as soon as the order is
/// uncertain: after a late, missing, surplus or malformed reply, or if the device is closed. Then every open request
/// fails, closed() is emitted, and the object can no longer be used; see Session for a connection that is restored
/// automatically. Owns its device. It does not connect, log in or retry.
class Connection final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Connection)

public:
    /// The replies to one request, with the local times of sending and receiving.
    struct Delivery
    {
        resp::Replies replies; ///< One reply per command.
        base::MonotonicTime sent;
        base::MonotonicTime received;
    };
    using Callback = std::function<void(base::Result<Delivery>)>;
    /// Observer of a request that another object sent. Receives the replies or the error.
    using ReplyObserver = std::function<void(const base::Result<Delivery> &)>;
    /// Observer of requests, called for each request that is sent. Returns an observer of its replies, or an empty
    /// function to ignore them.
    using TrafficObserver = std::function<ReplyObserver(const resp::Commands &)>;

    /// `device`: open for reading and writing. `peer`: the endpoint for error messages.
    Connection(std::unique_ptr<QIODevice> device, QString peer, const base::Clock &clock,
               const resp::ReplyLimits &limits = {}, QObject *parent = nullptr);
    ~Connection() override;

    /// Sends the commands as one pipeline. `done` is called once: with the replies, with the error that ended the
    /// connection, or with that of the command filter. It is never called after the destruction of `context`. Neither
    /// `done` nor closed() is called from within send(). On a closed connection the request fails at the next turn of
    /// the event loop (ConnectionLost). A receiver that drops outdated requests uses a RequestScope instead.
    void send(const resp::Commands &commands, std::chrono::milliseconds timeout, const QObject *context, Callback done);

    /// Limits the timeout of each later request. Absent: no limit.
    void setMaxTimeout(std::optional<std::chrono::milliseconds> timeout) { m_maxTimeout = timeout; }

    /// Accepts messages of a subscription between the replies from now on, and passes each to the handler, as long as
    /// `context` exists.
    void setMessageHandler(const QObject *context, std::function<void(const resp::Reply &)> handler);

    /// Sets an observer, for example to show the communication to a user. It is called with each request that is sent.
    /// The ReplyObserver that it returns is called just before the sender's callback. Neither function may end the
    /// connection.
    void setTrafficObserver(TrafficObserver observer) { m_trafficObserver = std::move(observer); }
    /// Adds another observer with the same rules. It stays as long as the connection.
    void addTrafficObserver(TrafficObserver observer) { m_moreTrafficObservers.push_back(std::move(observer)); }

    /// Sets a filter that is called for each command before its request is sent. If the filter returns an error, the
    /// whole request is not sent and fails with that error.
    using CommandFilter = std::function<std::optional<base::Error>(const resp::Command &)>;
    void setCommandFilter(CommandFilter filter) { m_commandFilter = std::move(filter); }

    /// Reads the data that has already arrived, and delivers it. Ends the connection if the peer has ended it. Stops
    /// after the time limit; returns false if more data was left. The delivery may destroy this connection.
    bool readArrived(std::chrono::milliseconds limit);

    [[nodiscard]] bool isOpen() const { return !m_closed; }
    /// Returns whether data has arrived that was not delivered. False behind a proxy if the data is still in the
    /// kernel.
    [[nodiscard]] bool hasUnreadData() const { return bytesAvailable() > 0 || m_duplicate.hasArrived(); }
    /// Returns whether the server has sent anything, even if the connection has ended.
    [[nodiscard]] bool hasReceivedData() const { return m_conversation.hasReceivedData(); }
    [[nodiscard]] quint64 commandsSent() const { return m_commandsSent; }
    /// Returns the time at which the oldest unanswered request was sent; absent: every request is answered.
    [[nodiscard]] std::optional<base::MonotonicTime> oldestUnanswered() const
    {
        return m_requests.empty() ? std::nullopt : std::optional(m_requests.front().delivery.sent);
    }

    /// Ends the connection; open requests fail with ConnectionLost. closed() is emitted.
    void close();
    /// Ends the connection; open requests fail with this error.
    void close(const base::Error &why) { fail(why); }

Q_SIGNALS:
    void closed(const latchkey::base::Error &error);

private:
    [[nodiscard]] std::optional<base::Error> refusalOf(const resp::Commands &commands) const;
    [[nodiscard]] Callback withObservers(const resp::Commands &commands, Callback done) const;
    struct Request
    {
        std::size_t expected;
        base::MonotonicTime deadline;
        Callback done;
        Delivery delivery;
    };

    void receiveArrived();
    void bufferUnread();
    [[nodiscard]] QByteArray takeBytes();
    [[nodiscard]] qint64 bytesAvailable() const;
    void read();
    void scheduleRead();
    void deliver(resp::Replies replies);
    void deviceFinished();
    void checkDeadlines();
    void scheduleDeadline();
    void fail(const base::Error &error);

    std::unique_ptr<QIODevice> m_device;
    SocketDuplicate m_duplicate;
    QByteArray m_unread; ///< Data that was received but discarded by the device.
    const QString m_peer;
    const base::Clock &m_clock; // Not owned.
    Conversation m_conversation;
    std::deque<Request> m_requests;
    QTimer m_deadlineTimer;
    std::function<void(const resp::Reply &)> m_messageHandler;
    TrafficObserver m_trafficObserver;
    CommandFilter m_commandFilter;
    std::optional<std::chrono::milliseconds> m_maxTimeout;
    quint64 m_commandsSent = 0;
    bool m_closed = false;
    bool m_hasEnded = false; ///< Whether the device has reported an error or its end.
    bool m_readScheduled = false;
    bool m_isSending = false;            ///< True while send() writes to the device.
    bool m_hasReadAfterDeadline = false; ///< True if the device was read again after a deadline had passed.
    std::vector<TrafficObserver> m_moreTrafficObservers;
};

} // namespace latchkey::net

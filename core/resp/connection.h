#pragma once

#include "core/base/clock.h"
#include "core/resp/conversation.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QIODevice;

namespace latchkey::resp {

/// Commands and replies over an open device, on the event loop.
///
/// Requests are pipelined and answered in order; each has a deadline of its own. Whatever makes the order doubtful ends
/// the connection: a late, missing or surplus reply, a malformed one, a closed device. Then every request that is still
/// open fails, closed() follows, and the object is of no more use; who wants to go on makes a new one (see Session).
/// Owns its device. It does not connect, log in or retry.
class Connection final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Connection)

public:
    /// The replies to one request, and the local times between which the server worked on it.
    struct Delivery
    {
        Replies replies; ///< One per command.
        base::MonotonicTime sent;
        base::MonotonicTime received;
    };
    using Callback = std::function<void(base::Result<Delivery>)>;
    using RequestId = quint64;
    /// What somebody wants to know of a request who has not sent it: the replies, or the error in their place.
    using Overhear = std::function<void(const base::Result<Delivery> &)>;
    /// Is shown what is sent; empty: what comes of that is of no interest.
    using Tap = std::function<Overhear(const Commands &)>;

    /// device: open for reading and writing. peer: the endpoint for error messages.
    Connection(std::unique_ptr<QIODevice> device, QString peer, const base::Clock &clock,
               const ReplyLimits &limits = {}, QObject *parent = nullptr);
    ~Connection() override;

    /// Sends the commands as one pipeline; done is called once, with the replies or with the error that ended the
    /// connection, and never from within send(); closed() is not emitted from within it either. On a connection that is
    /// closed already it fails at the next turn of the event loop (ConnectionLost).
    RequestId send(const Commands &commands, std::chrono::milliseconds timeout, Callback done);

    /// From now on messages of a subscription may come between the replies; each is given to the handler.
    void setMessageHandler(std::function<void(const Reply &)> handler);

    /// For those who tell a user what is said. It is asked with each request, and what it wants is called just before
    /// the sender's callback, unless the request is abandoned. It must not end the connection.
    void setTap(Tap tap) { m_tap = std::move(tap); }
    /// Adds a listener beside that one; likewise. It stays as long as the connection.
    void addTap(Tap tap) { m_moreTaps.push_back(std::move(tap)); }

    /// Asked of each command before it is sent. Where it gives an error, nothing of the request is sent, and that is
    /// its answer.
    using Gate = std::function<std::optional<base::Error>(const Command &)>;
    void setGate(Gate gate) { m_gate = std::move(gate); }

    /// Nobody waits for this request any more: its callback is dropped, its replies are still read, and its deadline
    /// still holds.
    void abandon(RequestId request);

    [[nodiscard]] bool isOpen() const { return !m_closed; }
    /// Whether the server has sent anything, replies or not; also of a connection that has ended.
    [[nodiscard]] bool hasHeard() const { return m_conversation.hasHeard(); }
    [[nodiscard]] quint64 commandsSent() const { return m_commandsSent; }

    /// Ends the connection; requests that are open fail with ConnectionLost. closed() is emitted.
    void close();

Q_SIGNALS:
    void closed(const latchkey::base::Error &error);

private:
    [[nodiscard]] std::optional<base::Error> refusalOf(const Commands &commands) const;
    [[nodiscard]] Callback overheard(const Commands &commands, Callback done) const;
    struct Request
    {
        RequestId id;
        std::size_t expected;
        base::MonotonicTime deadline;
        Callback done;
        Delivery delivery;
    };

    void read();
    void scheduleRead();
    void deliver(Replies replies);
    void deviceFinished();
    void checkDeadlines();
    void scheduleDeadline();
    void fail(const base::Error &error);

    std::unique_ptr<QIODevice> m_device;
    const QString m_peer;
    const base::Clock &m_clock; // Not owned.
    Conversation m_conversation;
    std::deque<Request> m_requests;
    QTimer m_deadlineTimer;
    std::function<void(const Reply &)> m_messageHandler;
    Tap m_tap;
    Gate m_gate;
    RequestId m_lastId = 0;
    quint64 m_commandsSent = 0;
    bool m_closed = false;
    bool m_readScheduled = false;
    bool m_isSending = false;      ///< send() is writing to the device.
    bool m_hasLookedAgain = false; ///< For what has come, since a deadline was found to have passed.
    std::vector<Tap> m_moreTaps;
};

} // namespace latchkey::resp

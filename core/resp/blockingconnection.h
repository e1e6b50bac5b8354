#pragma once

#include "core/resp/conversation.h"

#include <QDeadlineTimer>

#include <memory>
#include <span>

class QIODevice;

namespace latchkey::resp {

/// Commands and replies over an open device, for callers that wait.
///
/// The same rules as Connection's: a late, missing or surplus reply ends it. Sending and collecting are two calls, so
/// that a caller with several servers can ask all of them before it waits for the first. A deadline is for what is
/// small: every mebibyte that is sent or received puts it off by a second. Owns its device; a QTcpSocket serves as well
/// as a DescriptorDevice. Not for a thread that runs an event loop.
class BlockingConnection final
{
public:
    /// device: open for reading and writing. peer: the endpoint for error messages.
    BlockingConnection(std::unique_ptr<QIODevice> device, QString peer, const ReplyLimits &limits = {});
    ~BlockingConnection();
    Q_DISABLE_COPY_MOVE(BlockingConnection)

    /// Puts the commands on the wire; their replies are due before the deadline.
    [[nodiscard]] base::Result<void> send(std::span<const Command> commands, QDeadlineTimer deadline);
    /// The replies to everything sent and not yet collected, one per command.
    [[nodiscard]] base::Result<Replies> collect(QDeadlineTimer deadline);

    /// send() and collect() in one.
    [[nodiscard]] base::Result<Replies> ask(const Commands &commands, std::chrono::milliseconds timeout);
    [[nodiscard]] base::Result<Reply> ask(const Command &command, std::chrono::milliseconds timeout);

    /// From now on messages of subscriptions may come between the replies, and are among what is collected. PING makes
    /// sure of those that have been published by then.
    void acceptMessages() { m_conversation.acceptMessages(); }

    [[nodiscard]] bool isOpen() const { return m_device != nullptr; }
    /// Whether the server has sent anything, replies or not; also of a connection that has ended.
    [[nodiscard]] bool hasHeard() const { return m_conversation.hasHeard(); }

private:
    [[nodiscard]] base::Result<void> write(QDeadlineTimer deadline);
    /// The device has failed. replies: what has come of those that are due.
    [[nodiscard]] tl::unexpected<base::Error> lose(Replies replies = {});
    [[nodiscard]] tl::unexpected<base::Error> end(base::ErrorKind kind, const base::Text &reason);

    std::unique_ptr<QIODevice> m_device; ///< Null once the connection has ended.
    const QString m_peer;
    Conversation m_conversation;
};

} // namespace latchkey::resp

#pragma once

#include "core/redis/net/conversation.h"

#include <QDeadlineTimer>

#include <memory>
#include <span>

class QIODevice;

namespace latchkey::net {

/// A connection for callers that wait: commands and replies over an open device.
///
/// The rules are those of Connection: a late, missing or surplus reply ends the connection. Sending and collecting are
/// two calls, so that a caller can send to several servers before it waits for the first. A deadline is meant for small
/// data: execute() extends it by a second for every mebibyte sent, and collect() for every mebibyte received. Owns its
/// device, which may be a QTcpSocket or a DescriptorDevice. Not for a thread with an event loop.
class BlockingConnection final
{
public:
    /// `device`: open for reading and writing. `peer`: the endpoint for error messages.
    BlockingConnection(std::unique_ptr<QIODevice> device, QString peer, const resp::ReplyLimits &limits = {});
    ~BlockingConnection();
    Q_DISABLE_COPY_MOVE(BlockingConnection)

    /// Sends the commands; their replies are due before the deadline.
    [[nodiscard]] base::Result<void> send(std::span<const resp::Command> commands, QDeadlineTimer deadline);
    /// Returns the replies to everything sent and not yet collected, one per command.
    [[nodiscard]] base::Result<resp::Replies> collect(QDeadlineTimer deadline);

    /// Calls send() and collect().
    [[nodiscard]] base::Result<resp::Replies> execute(const resp::Commands &commands,
                                                      std::chrono::milliseconds timeout);
    [[nodiscard]] base::Result<resp::Reply> execute(const resp::Command &command, std::chrono::milliseconds timeout);

    /// Accepts messages of subscriptions between the replies from now on; collect() returns them too. PING ensures that
    /// all messages published before it have arrived.
    void acceptMessages() { m_conversation.acceptMessages(); }

    [[nodiscard]] bool isOpen() const { return m_device != nullptr; }
    /// Returns whether the server has sent anything, even if the connection has ended.
    [[nodiscard]] bool hasReceivedData() const { return m_conversation.hasReceivedData(); }

private:
    [[nodiscard]] base::Result<resp::Replies> collect(QDeadlineTimer deadline, std::chrono::milliseconds totalTimeout);
    [[nodiscard]] base::Result<void> write(QDeadlineTimer deadline);
    /// Ends the connection after a failure of the device. `replies`: the replies that have arrived.
    [[nodiscard]] tl::unexpected<base::Error> lose(resp::Replies replies = {});
    [[nodiscard]] tl::unexpected<base::Error> end(base::ErrorKind kind, const base::Text &reason);

    std::unique_ptr<QIODevice> m_device; ///< Null once the connection has ended.
    const QString m_peer;
    Conversation m_conversation;
};

} // namespace latchkey::net

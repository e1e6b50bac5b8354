#pragma once

#include "core/redis/resp/codec.h"

namespace latchkey::net {

/// The state of one connection at the level of RESP: sent commands, due replies, received replies.
///
/// RESP2 answers in order and has no request IDs, so counting is the only check. After one surplus reply, every later
/// command would get the previous command's reply. A surplus reply is therefore an error that ends the connection. The
/// class performs no I/O. Its owner transports the bytes: a Connection on the event loop, or a BlockingConnection
/// without one.
class Conversation final
{
public:
    explicit Conversation(const resp::ReplyLimits &limits = {});

    /// Queues a command: one more reply is due.
    void send(const resp::Command &command);

    /// Removes and returns the queued bytes.
    [[nodiscard]] QByteArray takeOutgoing() { return std::exchange(m_outgoing, {}); }

    /// Returns whether the server has sent anything at all.
    [[nodiscard]] bool hasReceivedData() const { return m_hasReceived; }

    /// Returns the number of due replies.
    [[nodiscard]] qint64 due() const { return m_due; }

    /// Accepts messages of a subscription, or lines of MONITOR, between the replies from now on. Surplus replies are
    /// then no longer detected.
    void acceptMessages() { m_acceptsMessages = true; }

    /// Appends the replies that the bytes complete, including accepted messages. After an error the connection must
    /// end, and due replies will not arrive. The errors are a malformed or surplus reply (Protocol) and an oversized
    /// reply (Local). A surplus error reply, such as a refusal sent on connecting, gives the server's typed error.
    [[nodiscard]] base::Result<void> receive(QByteArrayView bytes, resp::Replies &replies);

private:
    resp::ReplyReader m_reader;
    QByteArray m_outgoing;
    qint64 m_due = 0;
    bool m_acceptsMessages = false;
    bool m_hasReceived = false;
};

/// Returns whether this is a message of a subscription or a line of MONITOR, not a reply to a command. The first byte
/// or the first element shows it.
[[nodiscard]] bool isMessage(const resp::Reply &reply);

} // namespace latchkey::net

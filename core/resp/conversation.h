#pragma once

#include "core/resp/codec.h"

namespace latchkey::resp {

/// The bookkeeping of one connection: what was asked, what is due, what came.
///
/// RESP2 answers in order and carries no number, so the count is all there is: one reply too many and every later
/// command would be given its predecessor's answer. The conversation counts, and ends at the first surplus reply.
/// It performs no I/O; its owner carries the bytes: Connection on the event loop, BlockingConnection without.
class Conversation final
{
public:
    explicit Conversation(const ReplyLimits &limits = {});

    /// Queues a command: one more reply is due.
    void ask(const Command &command);

    /// What has been queued and not yet been taken, for the wire.
    [[nodiscard]] QByteArray takeOutgoing() { return std::exchange(m_outgoing, {}); }

    /// Whether the server has sent anything at all.
    [[nodiscard]] bool hasHeard() const { return m_hasHeard; }

    /// How many replies are due.
    [[nodiscard]] qint64 due() const { return m_due; }

    /// From now on messages of a subscription, or lines of MONITOR, may come between the replies, which nobody has
    /// asked for.
    void acceptMessages() { m_acceptsMessages = true; }

    /// Appends the replies that the bytes complete, messages among them where they are accepted. On an error the
    /// connection has to end, and what was due stays unanswered: a malformed or oversized reply, or a surplus one
    /// (Protocol; the server's typed error where the surplus reply is one, such as a refusal sent on connecting).
    [[nodiscard]] base::Result<void> receive(QByteArrayView bytes, Replies &replies);

private:
    ReplyReader m_reader;
    QByteArray m_outgoing;
    qint64 m_due = 0;
    bool m_acceptsMessages = false;
    bool m_hasHeard = false;
};

/// Whether this is a message of a subscription or a line of MONITOR, and no answer to a command: RESP2 tells them apart
/// by how they begin.
[[nodiscard]] bool isMessage(const Reply &reply);

} // namespace latchkey::resp

#include "core/redis/net/conversation.h"

#include "core/foundation/base/avxstate.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::net {

Conversation::Conversation(const resp::ReplyLimits &limits)
    : m_reader(limits)
{}

void Conversation::send(const resp::Command &command)
{
    resp::encode(command, m_outgoing);
    ++m_due;
}

base::Result<void> Conversation::receive(QByteArrayView bytes, resp::Replies &replies)
{
    base::leaveAvxState();
    m_hasReceived = m_hasReceived || !bytes.isEmpty();
    const std::size_t before = replies.size();
    auto fed = m_reader.feed(bytes, replies);
    if (!fed)
        return fed;
    const auto first = replies.begin() + static_cast<std::ptrdiff_t>(before);
    if (m_acceptsMessages) {
        const auto messages = std::count_if(first, replies.end(), isMessage);
        m_due -= std::min<qint64>(m_due, replies.end() - first - messages);
        return {};
    }
    const auto came = static_cast<qint64>(replies.size() - before);
    if (came <= m_due) {
        m_due -= came;
        // Otherwise the rest of the reply would be assigned to the next command.
        if (m_due == 0 && m_reader.isInsideReply())
            return base::failure(base::ErrorKind::Protocol,
                                 QT_TRANSLATE_NOOP("core", "the server began a reply without a request"));
        return {};
    }
    const resp::Reply &surplus = replies[before + static_cast<std::size_t>(m_due)];
    if (surplus.isError())
        return base::failure(resp::serverError(surplus));
    return base::failure(base::ErrorKind::Protocol,
                         QT_TRANSLATE_NOOP("core", "the server sent a reply without a request (%1)"), surplus.toText());
}

bool isMessage(const resp::Reply &reply)
{
    // No command has a status reply that begins with a digit, unlike the lines of MONITOR.
    if (reply.kind() == resp::Reply::Kind::Status)
        return !reply.bytes().isEmpty() && reply.bytes().front() >= '0' && reply.bytes().front() <= '9';
    if (!reply.isArray() || reply.elements().size() < 3 || !reply.elements().front().isBulk())
        return false;
    const QByteArray kind = reply.elements().front().bytes();
    return kind == "message" || kind == "pmessage";
}

} // namespace latchkey::net

#pragma once

#include "core/resp/command.h"
#include "core/resp/reply.h"
#include "core/resp/replyguard.h"

#include <memory>

namespace latchkey::resp {

/// Appends the command to wire as RESP. Cannot fail but for memory.
void encode(const Command &command, QByteArray &wire);

/// The same for a reply, of those who stand in a server's place; Nil as a null bulk string.
void encode(const Reply &reply, QByteArray &wire);

/// Turns a server's bytes into replies, however they were cut.
///
/// hiredis parses; a ReplyGuard looks first. Owned by a Conversation. It does not know which command a reply answers.
class ReplyReader final
{
public:
    explicit ReplyReader(const ReplyLimits &limits = {});
    ~ReplyReader();
    Q_DISABLE_COPY_MOVE(ReplyReader)

    /// Appends the replies that these bytes complete to replies. After an error (Protocol) the stream is of no more
    /// use.
    [[nodiscard]] base::Result<void> feed(QByteArrayView bytes, Replies &replies);

    /// Whether part of a reply has come and the rest has not.
    [[nodiscard]] bool isInsideReply() const { return !m_guard.isBetweenReplies(); }

private:
    struct Parser;

    ReplyGuard m_guard;
    const std::unique_ptr<Parser> m_parser;
};

} // namespace latchkey::resp

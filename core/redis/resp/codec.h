#pragma once

#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"
#include "core/redis/resp/replyguard.h"

#include <memory>

namespace latchkey::resp {

/// Appends the command to `wire` as RESP. Throws std::bad_alloc if memory runs out.
void encode(const Command &command, QByteArray &wire);

/// Appends a reply, for code that acts as a server; Nil becomes a null bulk string.
void encode(const Reply &reply, QByteArray &wire);

/// Returns the version of hiredis with which the program was compiled.
[[nodiscard]] QString hiredisVersion();

/// A parser of a server's byte stream, in pieces of any size, into replies.
///
/// hiredis parses the bytes after a ReplyGuard has checked them. Owned by a Conversation. It does not know the command
/// of a reply.
class ReplyReader final
{
public:
    explicit ReplyReader(const ReplyLimits &limits = {});
    ~ReplyReader();
    Q_DISABLE_COPY_MOVE(ReplyReader)

    /// Appends the replies that these bytes complete to `replies`. Errors: those of ReplyGuard::inspect(). After an
    /// error, the stream can no longer be used.
    [[nodiscard]] base::Result<void> feed(QByteArrayView bytes, Replies &replies);

    /// Returns whether a reply has arrived only in part.
    [[nodiscard]] bool isInsideReply() const { return !m_guard.isBetweenReplies(); }

private:
    struct Parser;

    ReplyGuard m_guard;
    const std::unique_ptr<Parser> m_parser;
};

} // namespace latchkey::resp

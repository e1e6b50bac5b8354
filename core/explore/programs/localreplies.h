#pragma once

#include "core/foundation/base/text.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QHash>

#include <optional>

namespace latchkey::programs {

/// Version of RESP that a HELLO chooses; absent: the command is no HELLO, or names no version that a server has.
[[nodiscard]] std::optional<int> protocolChosenBy(const resp::Command &command);

/// Immediate answers to a process's initial commands, such as HELLO or CLIENT. These commands change no key, and other
/// clients do not affect their answer. They are not steps of the exploration. A value for each process; a script loaded
/// by one process is unknown to the others.
class LocalReplies final
{
public:
    /// The immediate answer; absent: the command is a step. protocol: version of RESP that the connection uses, for a
    /// HELLO that names none.
    [[nodiscard]] std::optional<resp::Reply> answerTo(const resp::Command &command, int protocol = 2);

    /// Replaces a script's SHA1 by its source, and remembers the source of an EVAL.
    [[nodiscard]] resp::Command spelledOut(const resp::Command &command);

    /// The reason why a client that sends this command cannot be explored; absent: no reason.
    [[nodiscard]] static std::optional<base::Text> whyNot(const resp::Command &command);

private:
    [[nodiscard]] resp::Reply answerToScript(const resp::Command &command);
    QByteArray remember(const QByteArray &source);

    QHash<QByteArray, QByteArray> m_scripts; ///< Script sources by SHA1.
};

} // namespace latchkey::programs

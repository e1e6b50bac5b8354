#pragma once

#include "core/foundation/base/text.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QHash>

#include <optional>

namespace latchkey::programs {

/// Immediate answers to a process's initial commands, such as HELLO or CLIENT. These commands change no key, and other
/// clients do not affect their answer. They are not steps of the exploration. A value for each process; a script loaded
/// by one process is unknown to the others.
class LocalReplies final
{
public:
    /// The immediate answer; absent: the command is a step.
    [[nodiscard]] std::optional<resp::Reply> answerTo(const resp::Command &command);

    /// Replaces a script's SHA1 by its source, and remembers the source of an EVAL.
    [[nodiscard]] resp::Command spelledOut(const resp::Command &command);

    /// The reason why a client that sends this command cannot be explored; absent: no reason.
    [[nodiscard]] static std::optional<base::Text> whyNot(const resp::Command &command);

    /// Whether the process has asked for RESP3, which was refused, and has sent no other command since.
    [[nodiscard]] bool lacksResp3() const { return m_lacksResp3; }

private:
    [[nodiscard]] resp::Reply answerToHello(const resp::Command &command);
    [[nodiscard]] resp::Reply answerToScript(const resp::Command &command);
    QByteArray remember(const QByteArray &source);

    QHash<QByteArray, QByteArray> m_scripts; ///< Script sources by SHA1.
    bool m_lacksResp3 = false;
};

} // namespace latchkey::programs

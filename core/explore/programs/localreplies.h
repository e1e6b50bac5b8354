#pragma once

#include "core/foundation/base/text.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QHash>

#include <optional>

namespace latchkey::programs {

/// Returns the RESP version that a HELLO selects. Absent: the command is not HELLO, or names an unknown version.
[[nodiscard]] std::optional<int> protocolChosenBy(const resp::Command &command);

/// A source of immediate answers to a process's initial commands, such as HELLO or CLIENT. These commands change no
/// key, and other clients do not affect their answer. They are not steps of the exploration. One object for each
/// process and server, because scripts are not shared.
class LocalReplies final
{
public:
    /// The state of one connection in the server.
    struct Connection
    {
        qint64 id = 1;    ///< Reply to CLIENT ID. A program may use it as a token, so each process has its own.
        int protocol = 2; ///< RESP version.
        QByteArray name {};
    };

    /// Returns the immediate answer, and changes the state of the connection. Absent: the command is a step.
    [[nodiscard]] std::optional<resp::Reply> answerTo(const resp::Command &command, Connection &connection);

    /// Replaces a script's SHA1 by its source, and remembers the source of an EVAL.
    [[nodiscard]] resp::Command withScriptSource(const resp::Command &command);

    /// Returns the reason why a client that sends this command cannot be explored; absent: no reason.
    [[nodiscard]] static std::optional<base::Text> unsupportedReason(const resp::Command &command);

private:
    [[nodiscard]] resp::Reply answerToScript(const resp::Command &command);
    QByteArray remember(const QByteArray &source);

    QHash<QByteArray, QByteArray> m_scripts; ///< Script sources by SHA1.
};

} // namespace latchkey::programs

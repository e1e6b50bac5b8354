#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/glob.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QList>

#include <optional>

namespace latchkey::schedules {

/// A pattern of a command and its reply, such as `SET lock:* * NX` or `EVALSHA * 1 lock -> nil`.
///
/// The words are patterns as in KEYS, separated by spaces. The first is the name of the command, in any case, and the
/// second its first argument. All others occur in this order, with any words between them. A word of capital letters
/// matches in any case, as does an option such as NX or ex. The part after `->` is the reply: `nil`, `any`, or a
/// pattern of its text. A value type.
class CommandPattern final
{
public:
    /// Parses a pattern. Error (Usage): no command, or not exactly one reply after `->`.
    [[nodiscard]] static base::Result<CommandPattern> parse(const QByteArray &text);

    /// Returns whether the words of a command match.
    [[nodiscard]] bool matches(const resp::Command &command) const;
    /// Returns whether the reply matches. Without a part after `->`: any reply except an error, nil, 0 and an empty
    /// array.
    [[nodiscard]] bool matches(const resp::Reply &reply) const;

    /// Returns the pattern as it was parsed, with single spaces.
    [[nodiscard]] const QByteArray &text() const { return m_text; }
    /// Returns the pattern of the name, in capital letters.
    [[nodiscard]] const QByteArray &name() const { return m_name; }

private:
    QByteArray m_text;
    QByteArray m_name; ///< In capital letters.
    QList<QByteArray> m_arguments;
    std::optional<QByteArray> m_reply; ///< Absent: success.
};

} // namespace latchkey::schedules

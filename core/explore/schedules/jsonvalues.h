#pragma once

#include "core/foundation/files/jsonplace.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QStringList>

// Readers of commands, replies and enumerators in story files. Invalid input is thrown as base::Failure (Usage), with
// its place; see files::JsonPlace.

namespace latchkey::schedules {

/// Reads a command, such as `["SET", "k", "v"]`.
[[nodiscard]] resp::Command commandFrom(const files::JsonPlace &place);
/// Reads a reply: `null`, a number, a text for a bulk string, `{"status": …}`, `{"error": …}`, or an array of these.
[[nodiscard]] resp::Reply replyFrom(const files::JsonPlace &place);

/// Reads one of several words and returns its value. words: pairs of a value and its word. Refuses any other word.
template<typename Words>
[[nodiscard]] auto oneOf(const files::JsonPlace &place, const Words &words)
{
    const QString wanted = place.needed().line();
    QStringList known;
    for (const auto &[value, word] : words) {
        if (wanted == QLatin1String(word))
            return value;
        known += QLatin1String(word);
    }
    place.refuse(
        base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is none of %2"), wanted, known.join(QStringLiteral(", "))));
}

} // namespace latchkey::schedules

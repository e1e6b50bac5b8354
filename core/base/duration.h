#pragma once

#include "core/base/error.h"

#include <chrono>

class QDeadlineTimer;

namespace latchkey::base {

/// Reads a duration as people type it: a whole number and a unit, `500ms`, `5s`, `2m`, `1h`, `7d`.
/// Errors (Usage) name the text and what is wrong with it: no unit, unknown unit, not a number, too large. Negative
/// numbers and zero are read; whether they make sense is the caller's to say.
[[nodiscard]] Result<std::chrono::milliseconds> parseDuration(QStringView text);

/// A length of time for people, in the language of now: `1.549 s`, `61 s`, `12 min`, `5 h`. It is not read back.
[[nodiscard]] QString spokenDuration(std::chrono::nanoseconds duration);

/// The shortest text that parseDuration() reads back as the same duration.
[[nodiscard]] QString formatDuration(std::chrono::milliseconds duration);

/// The time left as poll() and Qt's blocking calls take it: in milliseconds, 0 once it has passed, -1 without an end.
/// At most a quarter of an hour, so callers that may wait longer ask again.
[[nodiscard]] int millisecondsLeft(const QDeadlineTimer &deadline);

} // namespace latchkey::base

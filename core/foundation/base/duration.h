#pragma once

#include "core/foundation/base/error.h"

#include <chrono>

class QDeadlineTimer;

namespace latchkey::base {

/// Parses a duration: a whole number and a unit, such as `500ms`, `5s`, `2m`, `1h` or `7d`. Errors (Usage) name the
/// text and its problem: no unit, unknown unit, not a number, too large. Negative numbers and zero are accepted; the
/// caller decides whether they make sense.
[[nodiscard]] Result<std::chrono::milliseconds> parseDuration(QStringView text);

/// Returns a duration for users in the current language: `1.549 s`, `61 s`, `12 min`, `5 h`. Minutes and hours are
/// rounded down; a negative duration is shown as zero. Cannot be parsed back.
[[nodiscard]] QString displayDuration(std::chrono::nanoseconds duration);

/// Returns a short time, such as a round trip, for users in the current language: `0.23 ms`, `120 ms`.
[[nodiscard]] QString millisecondsText(std::chrono::nanoseconds time);

/// Returns a duration for users in the current language in one whole unit, rounded down: `less than 1 s`, `90 s`,
/// `12 min`, `5 h`, `3 d`. The text changes at most once a second. Cannot be parsed back.
[[nodiscard]] QString wholeDuration(std::chrono::nanoseconds duration);

/// Returns the time in milliseconds, rounded up, because an uncertainty must not appear smaller than it is.
[[nodiscard]] qint64 ceilMilliseconds(std::chrono::nanoseconds time);

/// Returns the shortest text that parseDuration() reads as the same duration.
[[nodiscard]] QString formatDuration(std::chrono::milliseconds duration);

/// Returns the remaining time for poll() and Qt's blocking calls: in milliseconds, 0 after the deadline, -1 without a
/// deadline. The result is at most a quarter of an hour, so callers that may wait longer must call again.
[[nodiscard]] int millisecondsLeft(const QDeadlineTimer &deadline);

} // namespace latchkey::base

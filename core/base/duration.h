#pragma once

#include "core/base/error.h"

#include <chrono>

namespace latchkey::base {

/// Reads a duration as people type it: a whole number and a unit, `500ms`, `5s`, `2m`, `1h`, `7d`.
/// Errors (Usage) name the text and what is wrong with it: no unit, unknown unit, not a number, too large. Negative
/// numbers and zero are read; whether they make sense is the caller's to say.
[[nodiscard]] Result<std::chrono::milliseconds> parseDuration(QStringView text);

/// The shortest text that parseDuration() reads back as the same duration.
[[nodiscard]] QString formatDuration(std::chrono::milliseconds duration);

} // namespace latchkey::base

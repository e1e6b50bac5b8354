#pragma once

#include "core/redis/resp/reply.h"

// Times of day in replies and commands. A program that compares them with its own clock depends on its start.

namespace latchkey::programs {

/// Returns whether the reply contains a time of day of the exploration, in seconds or a smaller unit.
[[nodiscard]] bool containsTimeOfDay(const resp::Reply &reply);

/// Returns whether the word of a command contains a time of day close to the start of the exploration. Recognised forms
/// are a date, and a number of seconds or of a smaller unit.
[[nodiscard]] bool containsTimeOfDay(const QByteArray &word);

} // namespace latchkey::programs

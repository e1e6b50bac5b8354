#pragma once

#include "core/redis/resp/reply.h"

#include <optional>

namespace latchkey::resp {

/// Returns the number of FLUSHALL, FLUSHDB and SWAPDB commands that a server has executed, on any database, from its
/// reply to INFO commandstats. Absent if the reply has no statistics of commands. CONFIG RESETSTAT resets the number.
[[nodiscard]] std::optional<qint64> flushCount(const Reply &info);

/// Returns the number of SWAPDB commands alone, in the same way.
[[nodiscard]] std::optional<qint64> swapCount(const Reply &info);

/// Returns the number of keys that a server has evicted, from its reply to INFO stats. Absent if the reply lacks it.
[[nodiscard]] std::optional<qint64> evictionCount(const Reply &info);

/// Returns the number of RENAME and RENAMENX commands in the same way.
[[nodiscard]] std::optional<qint64> renameCount(const Reply &info);

} // namespace latchkey::resp

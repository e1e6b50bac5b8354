#pragma once

#include "core/redis/resp/reply.h"

#include <optional>

namespace latchkey::resp {

/// The numbers of executions of the commands that remove or exchange all keys of a database.
struct FlushCounts
{
    qint64 flushAll = 0;
    qint64 flushDb = 0;
    qint64 swapDb = 0;

    friend bool operator==(const FlushCounts &, const FlushCounts &) = default;
};

/// Returns the numbers of FLUSHALL, FLUSHDB and SWAPDB commands that a server has executed, on any database, from its
/// reply to INFO commandstats. A command that failed does not count, as far as the server reports failures. Absent if
/// the reply has no statistics of commands. CONFIG RESETSTAT resets the numbers.
[[nodiscard]] std::optional<FlushCounts> flushCounts(const Reply &info);

/// Returns the total of the numbers of flushCounts(). Absent if flushCounts() is absent.
[[nodiscard]] std::optional<qint64> flushCount(const Reply &info);

/// Returns the number of SWAPDB commands of flushCounts(). Absent if flushCounts() is absent.
[[nodiscard]] std::optional<qint64> swapCount(const Reply &info);

/// Returns the number of keys that a server has evicted, from its reply to INFO stats. Absent if the reply lacks it.
[[nodiscard]] std::optional<qint64> evictionCount(const Reply &info);

/// Returns the number of RENAME and RENAMENX commands that a server has executed, counted as by flushCounts().
[[nodiscard]] std::optional<qint64> renameCount(const Reply &info);

} // namespace latchkey::resp

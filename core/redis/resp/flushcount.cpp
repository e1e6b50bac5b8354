#include "core/redis/resp/flushcount.h"

#include <algorithm>
#include <initializer_list>

namespace latchkey::resp {

namespace {

/// Returns the number after `name` in a line of the statistics; 0 if the line lacks it.
qint64 numberIn(const QByteArray &line, QByteArrayView name)
{
    const qsizetype at = line.indexOf(name);
    if (at < 0)
        return 0;
    const QByteArray number = line.sliced(at + name.size());
    return number.first(std::max<qsizetype>(number.indexOf(','), 0)).toLongLong();
}

/// Returns how often a server has executed these commands. Each is the start of its line in the statistics.
std::optional<qint64> callsOf(std::initializer_list<const char *> commands, const Reply &info)
{
    if (!info.isBulk() || !info.bytes().contains("Commandstats"))
        return std::nullopt;
    qint64 count = 0;
    for (const QByteArray &line : info.bytes().split('\n')) {
        for (const char *command : commands) {
            if (!line.startsWith(command))
                continue;
            const QByteArray statistics = line.trimmed() + ',';
            count += numberIn(statistics, "calls=") - numberIn(statistics, "failed_calls="); // "calls" includes them.
        }
    }
    return count;
}

} // namespace

std::optional<FlushCounts> flushCounts(const Reply &info)
{
    const auto flushAll = callsOf({"cmdstat_flushall:"}, info);
    if (!flushAll)
        return std::nullopt;
    return FlushCounts {*flushAll, callsOf({"cmdstat_flushdb:"}, info).value_or(0), *swapCount(info)};
}

std::optional<qint64> flushCount(const Reply &info)
{
    const auto counts = flushCounts(info);
    return counts ? std::optional(counts->flushAll + counts->flushDb + counts->swapDb) : std::nullopt;
}

std::optional<qint64> swapCount(const Reply &info)
{
    return callsOf({"cmdstat_swapdb:"}, info);
}

std::optional<qint64> evictionCount(const Reply &info)
{
    constexpr QByteArrayView field("evicted_keys:");
    const qsizetype at = info.isBulk() ? info.bytes().indexOf(field) : -1;
    if (at < 0)
        return std::nullopt;
    const qsizetype first = at + field.size();
    const qsizetype end = info.bytes().indexOf('\r', first);
    return info.bytes().sliced(first, std::max(end, first) - first).toLongLong();
}

std::optional<qint64> renameCount(const Reply &info)
{
    return callsOf({"cmdstat_rename:", "cmdstat_renamenx:"}, info);
}

} // namespace latchkey::resp

#include "core/redis/resp/flushcount.h"

#include <algorithm>
#include <initializer_list>

namespace latchkey::resp {

namespace {

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
            const QByteArray number = line.sliced(static_cast<qsizetype>(qstrlen(command)));
            count += number.first(std::max<qsizetype>(number.indexOf(','), 0)).toLongLong();
        }
    }
    return count;
}

} // namespace

std::optional<qint64> flushCount(const Reply &info)
{
    return callsOf({"cmdstat_flushall:calls=", "cmdstat_flushdb:calls=", "cmdstat_swapdb:calls="}, info);
}

std::optional<qint64> swapCount(const Reply &info)
{
    return callsOf({"cmdstat_swapdb:calls="}, info);
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
    return callsOf({"cmdstat_rename:calls=", "cmdstat_renamenx:calls="}, info);
}

} // namespace latchkey::resp

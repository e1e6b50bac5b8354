#include "core/redis/resp/flushcount.h"

#include <algorithm>

namespace latchkey::resp {

std::optional<qint64> flushCount(const Reply &info)
{
    if (!info.isBulk() || !info.bytes().contains("Commandstats"))
        return std::nullopt;
    qint64 count = 0;
    for (const QByteArray &line : info.bytes().split('\n')) {
        for (const char *command : {"cmdstat_flushall:calls=", "cmdstat_flushdb:calls=", "cmdstat_swapdb:calls="}) {
            if (!line.startsWith(command))
                continue;
            const QByteArray number = line.sliced(static_cast<qsizetype>(qstrlen(command)));
            count += number.first(std::max<qsizetype>(number.indexOf(','), 0)).toLongLong();
        }
    }
    return count;
}

} // namespace latchkey::resp

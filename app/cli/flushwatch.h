#pragma once

#include "core/redis/net/requestscope.h"

#include <chrono>
#include <optional>

namespace latchkey::cli {

/// A key that the server watches by `WATCH` during a scan, which shows that the database was not flushed.
///
/// INFO counts the flushes of all databases together. FLUSHDB and FLUSHALL touch the watched keys of their database
/// only, so an `EXEC` that succeeds at the end excludes them for the database of the scan. An `EXEC` that fails proves
/// nothing, because any change of the key has the same effect. SWAPDB touches no watched keys before Redis 6.2. The key
/// is the least recently used one of a few random keys, because it is the least likely to change. Owned by a NodeScan,
/// whose connection it uses.
class FlushWatch final
{
public:
    /// Chooses a key and watches it. Stops if the database is empty, or the server refuses a command.
    void begin(net::Connection &connection, std::chrono::milliseconds timeout);

    /// Returns the number of flushes of all databases at the start of the watch; absent: no key is watched.
    [[nodiscard]] const std::optional<qint64> &countAtStart() const { return m_countAtStart; }
    /// Returns the commands that end the watch. The reply to the last one is for isUnchanged().
    [[nodiscard]] static resp::Commands ending();
    /// Returns whether the reply to EXEC shows that the watched key did not change.
    [[nodiscard]] static bool isUnchanged(const resp::Reply &executed) { return executed.isArray(); }

private:
    void choose(const std::vector<resp::Reply> &names);
    void watch(const QByteArray &key);

    net::RequestScope m_requests;
    std::chrono::milliseconds m_timeout {};
    std::optional<qint64> m_countAtStart;
};

} // namespace latchkey::cli

#include "core/inspect/inspection/firstseen.h"

namespace latchkey::inspection {

namespace {

/// Returns the end of the last interval in which the server was a replica with missing keys; max(): it still lasts.
base::MonotonicTime staleUntil(const watching::Watcher &watcher)
{
    base::MonotonicTime until;
    const events::Coverage coverage = watcher.coverage();
    for (const events::Coverage::Gap &gap : coverage.parts().gaps) {
        if (gap.why.kind == base::ErrorKind::StaleReplica)
            until = std::max(until, gap.to.value_or(base::MonotonicTime::max()));
    }
    return until;
}

} // namespace

std::optional<base::MonotonicTime> absentBefore(InspectedServer &server, const events::Observation &observation)
{
    const watching::Watcher &watcher = server.watcher();
    const bool isNew = watcher.phase() == watching::Watcher::Phase::Watching && !watcher.isIncomplete()
                    && !server.store().known().table.find(observation.key);
    if (!isNew)
        return std::nullopt;
    auto absent = watcher.lastScanBegan();
    if (std::holds_alternative<events::ChangeNotification>(observation.what)) // All earlier changes were announced too.
        absent = server.ledger().eventCoverage(observation.node).since;
    // A replica loads the keys of its primary without announcing them.
    const base::MonotonicTime stale = staleUntil(watcher);
    if (absent && *absent < stale)
        absent = watcher.lastScanBegan();
    return absent && *absent >= stale ? absent : std::nullopt;
}

} // namespace latchkey::inspection

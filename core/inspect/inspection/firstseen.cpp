#include "core/inspect/inspection/firstseen.h"

namespace latchkey::inspection {

std::optional<base::MonotonicTime> absentBefore(InspectedServer &server, const events::Observation &observation)
{
    const watching::Watcher &watcher = server.watcher();
    const bool isNew = watcher.phase() == watching::Watcher::Phase::Watching && !watcher.isIncomplete()
                    && !server.store().known().table.find(observation.key);
    if (!isNew)
        return std::nullopt;
    if (std::holds_alternative<events::ChangeNotification>(observation.what)) // All earlier changes were announced too.
        return server.ledger().eventCoverage(observation.node).since;
    return watcher.lastScanBegan();
}

} // namespace latchkey::inspection

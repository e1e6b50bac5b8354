#include "core/inspect/inspection/firstseen.h"

namespace latchkey::inspection {

std::optional<base::MonotonicTime> absentBefore(InspectedServer &server, const events::Observation &observation)
{
    const watching::Watcher &watcher = server.watcher();
    const bool isNew = watcher.phase() == watching::Watcher::Phase::Watching && !watcher.isIncomplete()
                    && !server.store().known().table.find(observation.key);
    if (!isNew)
        return std::nullopt;
    return observation.asked - watcher.newKeysMetWithin().value_or(std::chrono::milliseconds(0));
}

} // namespace latchkey::inspection

#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// Searches the schedules in which one client goes through all of its waits while the client inside makes no move, or
/// itself only waits. A search limits the number of timer steps, so it does not reach the last of many retries, after
/// which a client may enter anyway. Returns the moves up to the first that breaks the promise; absent: none does, or
/// the clients' clocks are not virtual. Only for programs, and for rules
/// about moves. Error: the server cannot be asked.
[[nodiscard]] base::Result<std::optional<Schedule>> violationAfterLongWaits(Transitions &transitions);

} // namespace latchkey::races

#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// Searches the schedules in which one client completes all of its waits while the client inside makes no move, or
/// only waits too. A usual search limits the number of timer steps, so it does not reach the last of many retries.
/// Some clients enter without the lock after that retry. Returns the moves up to the first that breaks the promise;
/// absent: no schedule does, or the clients' clocks are not virtual. Only for programs, and for rules about moves.
/// Error: the server does not reply.
[[nodiscard]] base::Result<std::optional<Schedule>> violationAfterLongWaits(Transitions &transitions);

} // namespace latchkey::races

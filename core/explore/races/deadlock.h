#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// Detects deadlock: every live client blocks in the server or listens for messages, and no move can wake one. Returns
/// the blocking commands as moves, which change nothing. Absent: no client is alive, some move is possible, such as
/// passing time, or a client has reached its command limit. Error: the server cannot be asked.
[[nodiscard]] base::Result<std::optional<Schedule>> deadlock(Transitions &transitions, const State &state);

} // namespace latchkey::races

#pragma once

#include "core/races/transitions.h"

namespace latchkey::races {

/// Where nothing can happen any more although clients are alive, because each of them waits in the server for what
/// nobody brings, or listens for what nobody says: the moves that tell of it, which change nothing. Absent: something
/// can, be it that time goes by; also where a client was taken no further because it had sent as many commands as it
/// may. Error: the server cannot be asked.
[[nodiscard]] base::Result<std::optional<Schedule>> standstill(Transitions &transitions, const State &state);

} // namespace latchkey::races

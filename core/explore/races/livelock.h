#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// Detects livelock: the living clients of a program repeat commands that change no key. Returns their moves until all
/// of these clients have returned to an earlier point. No order of their commands can then make progress, because the
/// behaviour of each client depends only on the keys. Absent: a client makes progress, a client has crashed, a lifetime
/// can end, or none of them repeats anything. Error: the server or a program does not reply.
[[nodiscard]] base::Result<std::optional<Schedule>> livelock(Transitions &transitions, const State &state);

/// Returns the clients that are alive after the schedule. Errors as livelock().
[[nodiscard]] base::Result<std::vector<ClientIndex>> livingAfter(Transitions &transitions, const Schedule &schedule);

} // namespace latchkey::races

#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// Checks the rule in a state in which no client is under way (Model::isQuiet()). Returns the moves that show the
/// violation, such as the next client's failed attempt. Empty: the state itself is the violation. Absent: the rule
/// holds. Error: the server cannot be asked.
[[nodiscard]] base::Result<std::optional<Schedule>> violationAtEnd(Transitions &transitions, const State &end);

} // namespace latchkey::races

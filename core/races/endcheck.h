#pragma once

#include "core/races/transitions.h"

namespace latchkey::races {

/// What the rule finds wrong in a state in which nobody is under way (Model::isQuiet()): the moves that show it, such
/// as the next client's vain attempt; nothing where all is well. Error: the server cannot be asked.
[[nodiscard]] base::Result<std::optional<Schedule>> complaintAtEnd(Transitions &transitions, const State &end);

} // namespace latchkey::races

#pragma once

#include "core/races/model.h"

namespace latchkey::races {

/// Every move that is possible in the state, of clients and of faults, in place of what the list held; none once every
/// client has finished or crashed. Knows whose turn it can be, and which faults the promise allows.
void possibleMoves(const Model &model, const State &state, std::vector<Move> &moves);

} // namespace latchkey::races

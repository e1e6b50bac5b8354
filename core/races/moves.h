#pragma once

#include "core/races/model.h"

namespace latchkey::races {

/// Every move that is possible in the state, of clients and of faults, in place of what the list held; none once every
/// client has finished or crashed. Knows whose turn it can be, and which faults the promise allows.
void possibleMoves(const Model &model, const State &state, std::vector<Move> &moves);

/// Of a state whose clients are programs: whether somebody else's turn would be taken away if this client went on.
[[nodiscard]] bool isPreempted(const Model &model, const State &state, ClientIndex client);

} // namespace latchkey::races

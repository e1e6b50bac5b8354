#pragma once

#include "core/explore/races/model.h"

namespace latchkey::races {

/// Replaces `moves` by all moves that are possible in the state, of clients and of faults. Empty once every client has
/// finished or crashed. Respects the preemption limit and the faults that the promise allows.
void possibleMoves(const Model &model, const State &state, std::vector<Move> &moves);

/// Whether a move of this client would preempt another client. Only if the clients are programs.
[[nodiscard]] bool isPreempted(const Model &model, const State &state, ClientIndex client);

} // namespace latchkey::races

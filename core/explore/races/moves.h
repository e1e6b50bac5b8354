#pragma once

#include "core/explore/races/model.h"

namespace latchkey::races {

/// Replaces `moves` by all moves that are possible in the state, of clients and of faults. Empty once every client has
/// finished or crashed. Respects the preemption limit and the faults that the promise allows.
void possibleMoves(const Model &model, const State &state, std::vector<Move> &moves);

/// Returns whether a move of this client preempts another one: the client that has the turn is alive and could send a
/// command. Only if the clients are programs with a preemption limit; see turnIn().
[[nodiscard]] bool preemptsAnother(const Model &model, const State &state, ClientIndex client);

} // namespace latchkey::races

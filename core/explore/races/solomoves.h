#pragma once

#include "core/explore/races/transitions.h"

// Moves of a client that runs alone: no other client makes a move.

namespace latchkey::races {

/// The state on which the future of a client alone depends. Times are left out, including that of the client, because a
/// lock without an expiry does not become free with time.
struct SoloState
{
    NodeId node = ClientGraph::root;
    ServersStateId serversState = 0;
    int served = -1; ///< Conversation that was answered last.

    friend bool operator==(const SoloState &, const SoloState &) = default;
};

[[nodiscard]] SoloState soloStateOf(Transitions &transitions, const State &state, ClientIndex client, int served);

/// Returns the client's next move: a command that does not block in the server, if it has one, or a move of time if it
/// waits for a time. `served`: updated to the conversation that has its turn. Error: the server cannot be asked.
[[nodiscard]] base::Result<Move> nextSoloMove(Transitions &transitions, const State &state, ClientIndex client,
                                              int &served);

/// Returns a move to the next end of a timer, or, if it is earlier, of a lifetime.
[[nodiscard]] Move timeAdvanceMove(const Model &model, const State &state);

} // namespace latchkey::races

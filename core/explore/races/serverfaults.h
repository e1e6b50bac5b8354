#pragma once

#include "core/explore/races/model.h"

// Faults of servers: failovers, restarts and jumps of the clock. A failover, and a restart with a saved state, bring
// back a former state of the server. The World keeps these states as long as such a fault is possible.

namespace latchkey::races {

/// Adds the faults of servers that are possible in the state.
void addServerFaults(const Model &model, const State &state, std::vector<Move> &moves);

/// Whether the move is a fault of a server.
[[nodiscard]] bool isServerFault(Move::Kind kind);

/// Keeps the server's former state, if the keys have changed. world: before the owners of the lock are updated. after:
/// the server's new state. client: `noClient` for the end of a lifetime, which ends the key in the former states too.
void rememberWrite(World &world, Model &model, int server, ClientIndex client, SnapshotId after);

/// Lets the fault happen in the world.
void carryOutServerFault(World &world, Model &model, const Move &move);

} // namespace latchkey::races

#pragma once

#include "core/explore/races/model.h"

// Faults of servers: failovers, restarts and jumps of the clock. A failover, and a restart with a saved state, bring
// back a former state of the server. The World keeps these states as long as such a fault is possible.

namespace latchkey::races {

/// Whether the server cannot be reached after its restart.
[[nodiscard]] inline bool isDown(const World &world, int server)
{
    return (world.outages[at(server)] & World::isDown) != 0;
}

/// Replaces each command to a server that is down by one that does not reach it. Adds the commands that a partition
/// keeps from the server, or whose replies it keeps from the client.
void followReachability(const Model &model, const State &state, std::vector<Move> &moves);

/// Begins, continues or ends the partition between the moving client and the server of its command.
void followPartition(World &world, const Move &move, int server);

/// Adds the faults of servers that are possible in the state.
void addServerFaults(const Model &model, const State &state, std::vector<Move> &moves);

/// Whether the move is a fault of a server.
[[nodiscard]] bool isServerFault(Move::Kind kind);

/// Keeps the server's former state, if the keys have changed. world: before the owners of the lock are updated. after:
/// the server's new state. client: `noClient` for the end of a lifetime, which ends the key in the former states too.
void rememberWrite(World &world, Model &model, int server, ClientIndex client, SnapshotId after);

/// Lets the fault happen in the world. state: the state before the fault.
void carryOutServerFault(World &world, Model &model, const State &state, const Move &move);

} // namespace latchkey::races

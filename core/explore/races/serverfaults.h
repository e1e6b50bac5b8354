#pragma once

#include "core/explore/races/model.h"

// Server faults: failovers, restarts and clock jumps. A failover, and a restart with a saved state, restore a former
// state of the server. The ServersState keeps these states as long as such a fault is possible.

namespace latchkey::races {

/// Returns whether the server cannot be reached after its restart.
[[nodiscard]] inline bool isDown(const ServersState &serversState, int server)
{
    return (serversState.outages[toIndex(server)] & ServersState::isDown) != 0;
}

/// Replaces each command to a server that is down by a command that does not reach the server. Adds the commands that
/// are lost in a partition, and those that lose their reply in it.
void followReachability(const Model &model, const State &state, std::vector<Move> &moves);

/// Begins, continues or ends the partition between the moving client and the server of its command.
void followPartition(ServersState &serversState, const Move &move, int server);

/// Adds the server faults that are possible in the state.
void addServerFaults(const Model &model, const State &state, std::vector<Move> &moves);

/// Returns whether the move is a server fault.
[[nodiscard]] bool isServerFault(Move::Kind kind);

/// Keeps the server's former state, if the keys have changed. The state of the servers is that before the owners of
/// the lock are updated. `after`: the server's new state. `client`: `noClient` for an expiry, which ends the key in
/// the former states too.
void rememberWrite(ServersState &serversState, Model &model, int server, ClientIndex client, SnapshotId after);

/// Returns the number of replicas of each server: one for each failover that is still possible, and at least one before
/// the first failover.
[[nodiscard]] int replicas(const Model &model, const ServersState &serversState);

/// Removes the former states of the server that lack the client's last write, if every replica has that write. A
/// replica receives the writes in their order.
void confirmWrites(ServersState &serversState, const Model &model, int server, ClientIndex client, qint64 confirmed);

/// Advances the time of the former states: shortens their lifetimes and removes the keys that have ended. Only if the
/// clients are programs.
void advanceFormerStates(ServersState &serversState, Model &model, std::chrono::milliseconds time);

/// Applies the fault to the state of the servers. `state`: the state before the fault.
void carryOutServerFault(ServersState &serversState, Model &model, const State &state, const Move &move);

} // namespace latchkey::races

#pragma once

#include "core/races/clientgraph.h"
#include "core/races/rules.h"

#include <array>

namespace latchkey::races {

/// All servers at one moment, and whose the lock on each is.
struct World
{
    std::array<SnapshotId, mostServers> servers {};
    /// Who holds the lock on each server: whose acquire made it or took it over, until it goes; nobody where there is
    /// none.
    std::array<qint8, mostServers> holder {nobody, nobody, nobody, nobody, nobody};
    /// Who last gave it its value or its lifetime.
    std::array<qint8, mostServers> writer {nobody, nobody, nobody, nobody, nobody};
    /// Who has had a hand in the lock that stands on each server, a bit for each client.
    std::array<quint8, mostServers> stakes {};

    friend bool operator==(const World &, const World &) = default;
    friend size_t qHash(const World &world, size_t seed = 0)
    {
        seed = qHashRange(world.servers.begin(), world.servers.end(), seed);
        seed = qHashRange(world.holder.begin(), world.holder.end(), seed);
        seed = qHashRange(world.writer.begin(), world.writer.end(), seed);
        return qHashRange(world.stakes.begin(), world.stakes.end(), seed);
    }
};

using WorldId = Pool<World>::Id;

/// Everything that the future of an exploration depends on. Two schedules that lead to equal states are one from there.
struct State
{
    WorldId world = 0;
    std::array<NodeId, mostClients> nodes {};
    Ghost ghost = 0;           ///< What the rule has to remember.
    quint32 secondsPassed = 0; ///< How far all clocks have been moved.

    friend bool operator==(const State &, const State &) = default;
};

} // namespace latchkey::races

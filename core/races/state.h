#pragma once

#include "core/races/clientgraph.h"
#include "core/races/rules.h"

#include <array>

namespace latchkey::races {

/// Whose a key is, where the clients are programs, which do not say what their lock is.
struct Ownership
{
    QByteArray key;
    qint8 holder = nobody; ///< Who has made it, or taken it over as its lock.
    qint8 writer = nobody; ///< Who last gave it its value or its lifetime.
    bool isLock = false;   ///< Its holder had it as it came inside, and is inside.

    friend bool operator==(const Ownership &, const Ownership &) = default;
    friend size_t qHash(const Ownership &owned, size_t seed = 0)
    {
        return qHashMulti(seed, owned.key, owned.holder, owned.writer, owned.isLock);
    }
};

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
    /// Of every key by its name, where the clients are programs; else empty.
    std::vector<Ownership> owned {};

    friend bool operator==(const World &, const World &) = default;
    friend size_t qHash(const World &world, size_t seed = 0)
    {
        seed = qHashRange(world.servers.begin(), world.servers.end(), seed);
        seed = qHashRange(world.holder.begin(), world.holder.end(), seed);
        seed = qHashRange(world.writer.begin(), world.writer.end(), seed);
        seed = qHashRange(world.stakes.begin(), world.stakes.end(), seed);
        return world.owned.empty() ? seed : qHashRange(world.owned.begin(), world.owned.end(), seed);
    }
};

using WorldId = Pool<World>::Id;

/// Everything that the future of an exploration depends on. Two schedules that lead to equal states are one from there.
struct State
{
    WorldId world = 0;
    std::array<NodeId, mostClients> nodes {};
    Ghost ghost = 0; ///< What the rule has to remember.
    /// How far all clocks have been moved. Where the clients are programs, whose clocks are not, the faults so far: see
    /// below. States are compared by the million, so there is no room for both.
    quint32 secondsPassed = 0;

    friend bool operator==(const State &, const State &) = default;
};

/// Of a state whose clients are programs: how often time has gone on, to the end of a lifetime or else to that of a
/// wait, how many replies have been lost, and, where that is bounded, how often it was another's turn while a client
/// could have gone on. Seven bits each; the last four are the turn.
inline constexpr int mostFaults = 100;
inline constexpr quint32 onePass = 1;
inline constexpr quint32 oneWait = 1 << 7;
inline constexpr quint32 oneLoss = 1 << 14;
inline constexpr quint32 onePreemption = 1 << 21;
[[nodiscard]] inline int countIn(const State &state, quint32 one)
{
    return static_cast<int>(state.secondsPassed / one & 0x7F);
}
[[nodiscard]] inline int passesIn(const State &state)
{
    return countIn(state, onePass);
}
[[nodiscard]] inline int waitsIn(const State &state)
{
    return countIn(state, oneWait);
}
[[nodiscard]] inline int lossesIn(const State &state)
{
    return countIn(state, oneLoss);
}
[[nodiscard]] inline int preemptionsIn(const State &state)
{
    return countIn(state, onePreemption);
}

/// Likewise: whose turn it was last, where it can go on with what it was about; else nobody.
[[nodiscard]] inline ClientIndex turnIn(const State &state)
{
    return static_cast<ClientIndex>(state.secondsPassed >> 28) - 1;
}
inline void setTurn(State &state, ClientIndex client)
{
    state.secondsPassed = (state.secondsPassed & 0xFFFFFFF) | static_cast<quint32>(client + 1) << 28;
}

/// The number of a client or a server as an index of a container.
[[nodiscard]] inline std::size_t at(int number)
{
    return static_cast<std::size_t>(number);
}

} // namespace latchkey::races

#pragma once

#include "core/explore/races/clientgraph.h"
#include "core/explore/races/rules.h"

#include <array>

namespace latchkey::races {

/// The owner of a key of one server, or of a part of a key that can contain several locks: a field of a hash, a member
/// of a set or of a sorted set. Only if the clients are programs, which do not declare their lock.
struct Ownership
{
    qint8 server = 0;
    QByteArray key;
    QByteArray part;         ///< Field or member; empty if the key has another type.
    qint8 holder = noClient; ///< Client that created the key or took it over as its lock.
    qint8 writer = noClient; ///< Client that last set the key's value or lifetime.
    bool isLock = false;     ///< Whether the holder had the key when it entered and is still inside.
    bool isCounter = false;  ///< Whether only increments without a token have written the key.

    friend bool operator==(const Ownership &, const Ownership &) = default;
    friend size_t qHash(const Ownership &owned, size_t seed = 0)
    {
        return qHashMulti(seed, owned.server, owned.key, owned.part, owned.holder, owned.writer, owned.isLock,
                          owned.isCounter);
    }
};

/// The state of one server before one of its last writes. A failover or a restart may restore it.
struct FormerServerState
{
    qint8 server = 0;
    SnapshotId snapshot = 0; ///< Keys of the server; without connections.
    qint8 holder = noClient;
    qint8 writer = noClient;
    quint8 contributors = 0;
    std::vector<Ownership> owned {}; ///< Owners of the server's keys; see ServersState::owned.
    qint8 author = noClient;         ///< Client that sent the write.

    friend bool operator==(const FormerServerState &, const FormerServerState &) = default;
    friend size_t qHash(const FormerServerState &former, size_t seed = 0)
    {
        seed = qHashRange(former.owned.begin(), former.owned.end(), seed);
        return qHashMulti(seed, former.server, former.snapshot, former.holder, former.writer, former.contributors,
                          former.author);
    }
};

/// Numbers of server faults so far.
struct ServerFaultCounts
{
    quint8 failovers = 0;
    quint8 restarts = 0;
    quint8 clockJumps = 0;
    quint8 partitions = 0;

    friend bool operator==(const ServerFaultCounts &, const ServerFaultCounts &) = default;
    friend size_t qHash(const ServerFaultCounts &counts, size_t seed = 0)
    {
        return qHashMulti(seed, counts.failovers, counts.restarts, counts.clockJumps, counts.partitions);
    }
};

/// No client, for each server.
inline constexpr std::array<qint8, maxServers> noClients = [] {
    std::array<qint8, maxServers> clients {};
    for (qint8 &client : clients)
        client = noClient;
    return clients;
}();

/// The state of all servers at one moment, with the owner of the lock on each.
struct ServersState
{
    std::array<SnapshotId, maxServers> servers {};
    /// Holder of the lock on each server: the client that created it or took it over by its acquire. `noClient` if
    /// absent.
    std::array<qint8, maxServers> holder = noClients;
    /// Client that last set the lock's value or lifetime.
    std::array<qint8, maxServers> writer = noClients;
    /// Clients that have written to the current lock on each server, one bit per client.
    std::array<quint8, maxServers> contributors {};
    /// Owner of every key or part of a key, sorted by server, key and part, if the clients are programs; otherwise
    /// empty.
    std::vector<Ownership> owned {};
    /// Clients that may rely on stored leases that are over, one bit each; see endStoredLeases().
    quint8 lateClients = 0;
    /// Former states of the servers, sorted by server, the newest first. Empty unless a fault can restore one.
    std::vector<FormerServerState> formerStates {};
    ServerFaultCounts faults {}; ///< Zero unless the rule permits server faults.
    /// Clients with leases that must end before the server can be reached again, one bit each, and `isDown`.
    std::array<quint8, maxServers> outages {};
    /// Clients that do not reach the server, one bit each.
    std::array<quint8, maxServers> partitions {};

    static constexpr quint8 isDown = 0x80;

    /// Clears the owner of the lock on this server.
    void clearHolder(int server)
    {
        holder[static_cast<std::size_t>(server)] = noClient;
        writer[static_cast<std::size_t>(server)] = noClient;
        contributors[static_cast<std::size_t>(server)] = 0;
    }

    friend bool operator==(const ServersState &, const ServersState &) = default;
    friend size_t qHash(const ServersState &serversState, size_t seed = 0)
    {
        seed = qHashRange(serversState.servers.begin(), serversState.servers.end(), seed);
        seed = qHashRange(serversState.holder.begin(), serversState.holder.end(), seed);
        seed = qHashRange(serversState.writer.begin(), serversState.writer.end(), seed);
        seed = qHashRange(serversState.contributors.begin(), serversState.contributors.end(), seed);
        if (serversState.lateClients != 0)
            seed = qHashMulti(seed, serversState.lateClients);
        if (!serversState.formerStates.empty() || serversState.faults != ServerFaultCounts())
            seed = qHashMulti(qHashRange(serversState.formerStates.begin(), serversState.formerStates.end(), seed),
                              serversState.faults, qHashRange(serversState.outages.begin(), serversState.outages.end()),
                              qHashRange(serversState.partitions.begin(), serversState.partitions.end()));
        return serversState.owned.empty() ? seed
                                          : qHashRange(serversState.owned.begin(), serversState.owned.end(), seed);
    }
};

using ServersStateId = InternTable<ServersState>::Id;

/// The state of an exploration: everything on which its future depends. Two schedules that lead to equal states have
/// the same future.
struct State
{
    ServersStateId serversState = 0;
    std::array<NodeId, maxClients> nodes {};
    RuleState ruleState = 0; ///< Memory of the rule.
    /// Seconds by which all clocks have been advanced. If the clients are programs, their clocks are not counted here,
    /// and the value packs the fault counters below. One field has both meanings, because millions of states are
    /// stored.
    quint32 clockOrCounters = 0;

    friend bool operator==(const State &, const State &) = default;
};

/// Fault counters of a state if the clients are programs, seven bits each. They count: advances to the end of a
/// lifetime, advances to a timer, lost replies, and preemptions, if these are limited. The highest four bits are the
/// client that has the turn, see turnIn().
inline constexpr quint32 oneExpiration = 1;
inline constexpr quint32 oneTimerStep = 1 << 7;
inline constexpr quint32 oneLoss = 1 << 14;
inline constexpr quint32 onePreemption = 1 << 21;
[[nodiscard]] inline int faultCount(const State &state, quint32 one)
{
    return static_cast<int>(state.clockOrCounters / one & 0x7F);
}
[[nodiscard]] inline int expirationsIn(const State &state)
{
    return faultCount(state, oneExpiration);
}
[[nodiscard]] inline int timerStepsIn(const State &state)
{
    return faultCount(state, oneTimerStep);
}
[[nodiscard]] inline int lossesIn(const State &state)
{
    return faultCount(state, oneLoss);
}
[[nodiscard]] inline int preemptionsIn(const State &state)
{
    return faultCount(state, onePreemption);
}

/// Returns the client that moved last, if it can continue; otherwise `noClient`. Set only for programs with a
/// preemption limit.
[[nodiscard]] inline ClientIndex turnIn(const State &state)
{
    return static_cast<ClientIndex>(state.clockOrCounters >> 28) - 1;
}
inline void setTurn(State &state, ClientIndex client)
{
    state.clockOrCounters = (state.clockOrCounters & 0xFFFFFFF) | static_cast<quint32>(client + 1) << 28;
}

/// Converts a client or server number to a container index.
[[nodiscard]] inline std::size_t toIndex(int number)
{
    return static_cast<std::size_t>(number);
}

} // namespace latchkey::races

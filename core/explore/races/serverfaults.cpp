#include "core/explore/races/serverfaults.h"

#include <algorithm>

namespace latchkey::races {

using namespace std::chrono_literals;

namespace {

/// Returns the number of writes that the next failover or restart may lose; 0: no such fault is possible.
int writesToRemember(const Model &model, const ServersState &serversState)
{
    const Faults &faults = model.faults();
    const ServerFaultLimits &limits = model.serverFaultLimits();
    const bool mayFailOver = faults.failovers && serversState.faults.failovers < limits.failovers;
    const bool mayRestart = faults.restarts && serversState.faults.restarts < limits.restarts
                         && limits.persistence == Persistence::EverySec;
    return mayFailOver || mayRestart ? limits.lostWrites : 0;
}

auto statesOf(const ServersState &serversState, int server)
{
    return std::ranges::equal_range(serversState.formerStates, server, {}, &FormerServerState::server);
}

/// Removes the key from a former state, if its lifetime there ends no later. An expired lifetime cannot be restored.
void expireInFormerState(FormerServerState &former, Model &model, const SnapshotKey &ended)
{
    Snapshot snapshot = model.effectCache().snapshot(former.snapshot);
    const auto hasEnded = [&](const SnapshotKey &key) {
        return key.key == ended.key && key.lifetime && *key.lifetime <= *ended.lifetime;
    };
    if (std::erase_if(snapshot.keys, hasEnded) == 0)
        return;
    former.snapshot = model.effectCache().number(std::move(snapshot));
    std::erase_if(former.owned, [&ended](const Ownership &owned) { return owned.key == ended.key; });
    if (ended.key == model.subject().key.bytes()) {
        former.holder = noClient;
        former.writer = noClient;
        former.contributors = 0;
    }
}

void expireInFormerState(ServersState &serversState, Model &model, int server, const SnapshotKey &ended)
{
    for (FormerServerState &former : serversState.formerStates) {
        if (former.server == server)
            expireInFormerState(former, model, ended);
    }
}

/// Returns the owners of the keys of one server. None of the keys counts as a lock: the rules about server faults only
/// ask who is inside.
std::vector<Ownership> ownersOn(const ServersState &serversState, int server)
{
    std::vector<Ownership> owners;
    for (Ownership owned : serversState.owned) {
        if (owned.server != server)
            continue;
        owned.isLock = false;
        owners.push_back(std::move(owned));
    }
    return owners;
}

/// Replaces the owners of the keys of one server.
void replaceOwners(ServersState &serversState, int server, const std::vector<Ownership> &owners)
{
    const auto [first, last] = std::ranges::equal_range(serversState.owned, server, {}, &Ownership::server);
    const auto at = serversState.owned.erase(first, last);
    serversState.owned.insert(at, owners.begin(), owners.end());
}

/// Replaces the server's state. No client is connected to the server afterwards.
void replaceServer(ServersState &serversState, Model &model, const FormerServerState &state)
{
    const auto index = toIndex(state.server);
    Snapshot snapshot = model.effectCache().snapshot(state.snapshot);
    snapshot.time = model.effectCache().snapshot(serversState.servers[index]).time;
    snapshot.connections.clear();
    replaceOwners(serversState, state.server, state.owned);
    serversState.servers[index] = model.effectCache().number(std::move(snapshot));
    serversState.holder[index] = state.holder;
    serversState.writer[index] = state.writer;
    serversState.contributors[index] = state.contributors;
}

/// Restores the state before the last `lost` writes; 0 keeps the state.
void discardWrites(ServersState &serversState, Model &model, int server, int lost)
{
    const auto index = toIndex(server);
    FormerServerState state {static_cast<qint8>(server),       serversState.servers[index],
                             serversState.holder[index],       serversState.writer[index],
                             serversState.contributors[index], ownersOn(serversState, server)};
    const auto known = statesOf(serversState, server);
    if (lost == Move::everything) {
        Snapshot empty;
        empty.time = model.effectCache().snapshot(state.snapshot).time;
        state = {static_cast<qint8>(server), model.effectCache().number(std::move(empty))};
        serversState.formerStates.erase(known.begin(), known.end());
    } else if (lost > 0) {
        const auto newest = known.begin() + (lost - 1);
        state = *newest;
        serversState.formerStates.erase(known.begin(), newest + 1);
    }
    replaceServer(serversState, model, state);
}

/// Returns the server of the command.
int serverOf(const Model &model, const State &state, const Move &move)
{
    const GraphNode &node = model.nodeOf(state, move.client);
    const GraphNode &from = move.branch == Move::noBranch ? node : model.graph(move.client)[node.branches[move.branch]];
    return from.requests[move.index].server;
}

/// Returns the clients that are under way, one bit each.
quint8 clientsUnderWay(const Model &model, const State &state)
{
    int clients = 0;
    for (ClientIndex client = 0; client < model.subject().clients; ++client)
        clients |= Model::isAlive(state, client) && model.hasBegun(state, client) ? 1 << client : 0;
    return static_cast<quint8>(clients);
}

/// Returns whether every lease that began before the restart is over: no client of that time is under way.
bool mayReturn(const Model &model, const State &state, int server)
{
    const quint8 awaited = model.serversState(state).outages[toIndex(server)];
    return (awaited & clientsUnderWay(model, state)) == 0;
}

/// Ends all lifetimes on the server. A hash keeps its fields unless all of them have a lifetime.
void jumpClock(ServersState &serversState, Model &model, int server)
{
    const auto index = toIndex(server);
    Snapshot snapshot = model.effectCache().snapshot(serversState.servers[index]);
    for (const SnapshotKey &key : snapshot.keys) {
        if (key.lifetime)
            expireInFormerState(serversState, model, server, key);
    }
    std::erase_if(snapshot.keys, [](const SnapshotKey &key) { return key.lifetime.has_value(); });
    std::erase_if(serversState.owned, [&](const Ownership &owned) {
        return owned.server == server && snapshot.find(owned.key) == nullptr;
    });
    if (snapshot.find(model.subject().key.bytes()) == nullptr) {
        serversState.holder[index] = noClient;
        serversState.writer[index] = noClient;
        serversState.contributors[index] = 0;
    }
    serversState.servers[index] = model.effectCache().number(std::move(snapshot));
}

} // namespace

bool isServerFault(Move::Kind kind)
{
    return kind == Move::Kind::Failover || kind == Move::Kind::Restart || kind == Move::Kind::Return
        || kind == Move::Kind::ClockJump;
}

void followReachability(const Model &model, const State &state, std::vector<Move> &moves)
{
    const ServersState &serversState = model.serversState(state);
    const bool mayBegin =
        model.faults().partitions && serversState.faults.partitions < model.serverFaultLimits().partitions;
    const std::size_t known = moves.size();
    for (std::size_t i = 0; i < known; ++i) {
        if (moves[i].kind != Move::Kind::Command)
            continue;
        const int server = serverOf(model, state, moves[i]);
        if (isDown(serversState, server)) {
            moves[i].kind = Move::Kind::UnreachedCommand;
            continue;
        }
        if (!mayBegin && (serversState.partitions[toIndex(server)] >> moves[i].client & 1) == 0)
            continue;
        for (const Move::Kind kind : {Move::Kind::UnreachedCommand, Move::Kind::LostCommand}) {
            Move move = moves[i];
            move.kind = kind;
            moves.push_back(move);
        }
    }
}

void followPartition(ServersState &serversState, const Move &move, int server)
{
    const bool isLost = move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::UnreachedCommand;
    if ((!isLost && move.kind != Move::Kind::Command) || isDown(serversState, server))
        return;
    quint8 &clients = serversState.partitions[toIndex(server)];
    const auto bit = static_cast<quint8>(1 << move.client);
    if (isLost && (clients & bit) == 0)
        ++serversState.faults.partitions;
    clients = static_cast<quint8>(isLost ? clients | bit : clients & ~bit);
}

void addServerFaults(const Model &model, const State &state, std::vector<Move> &moves)
{
    const ServersState &serversState = model.serversState(state);
    const Faults &faults = model.faults();
    const ServerFaultLimits &limits = model.serverFaultLimits();
    Move move;
    const auto addLosses = [&](Move::Kind kind, std::size_t maximum) {
        move.kind = kind;
        for (std::size_t lost = 1; lost <= maximum; ++lost) {
            move.key = static_cast<quint8>(lost);
            moves.push_back(move);
        }
    };
    for (int server = 0; server < model.subject().servers; ++server) {
        move.index = static_cast<quint8>(server);
        const Snapshot &snapshot = model.snapshot(state, server);
        if (isDown(serversState, server)) {
            move.kind = Move::Kind::Return;
            move.key = 0;
            if (mayReturn(model, state, server))
                moves.push_back(move);
            continue;
        }
        // The connections of a program stay open, so the state that the server keeps for them must not be lost.
        if (model.subject().program && !snapshot.connections.empty())
            continue;
        const std::size_t known = statesOf(serversState, server).size();
        if (faults.failovers && serversState.faults.failovers < limits.failovers)
            addLosses(Move::Kind::Failover, known);
        if (faults.restarts && serversState.faults.restarts < limits.restarts) {
            move.kind = Move::Kind::Restart;
            const bool losesAll = limits.persistence == Persistence::None;
            move.key = losesAll ? Move::everything : 0;
            if (!snapshot.connections.empty() || (losesAll && !snapshot.keys.empty()))
                moves.push_back(move);
            if (limits.persistence == Persistence::EverySec)
                addLosses(Move::Kind::Restart, known);
        }
        if (faults.clockJumps && serversState.faults.clockJumps < limits.clockJumps
            && std::ranges::any_of(snapshot.keys, [](const SnapshotKey &key) { return key.lifetime.has_value(); })) {
            move.kind = Move::Kind::ClockJump;
            move.key = 0;
            moves.push_back(move);
        }
    }
}

void rememberWrite(ServersState &serversState, Model &model, int server, ClientIndex client, SnapshotId afterId)
{
    const int maximum = writesToRemember(model, serversState);
    const auto index = toIndex(server);
    const Snapshot &before = model.effectCache().snapshot(serversState.servers[index]);
    const Snapshot &after = model.effectCache().snapshot(afterId);
    if (maximum == 0 || before.keys == after.keys)
        return;
    if (client == noClient && model.subject().program) // advanceFormerStates() ends the lifetimes.
        return;
    if (client == noClient) {
        const auto ended =
            std::ranges::find_if(before.keys, [&](const SnapshotKey &key) { return after.find(key.key) == nullptr; });
        const SnapshotKey key = *ended; // A copy: new snapshots move the old ones.
        expireInFormerState(serversState, model, server, key);
        return;
    }
    Snapshot kept = before;
    kept.connections.clear();
    const FormerServerState former {static_cast<qint8>(server),       model.effectCache().number(std::move(kept)),
                                    serversState.holder[index],       serversState.writer[index],
                                    serversState.contributors[index], ownersOn(serversState, server),
                                    static_cast<qint8>(client)};
    serversState.formerStates.insert(statesOf(serversState, server).begin(), former);
    const auto known = statesOf(serversState, server);
    if (known.size() > static_cast<std::size_t>(maximum))
        serversState.formerStates.erase(known.begin() + maximum, known.end());
}

int replicas(const Model &model, const ServersState &serversState)
{
    return std::max(1, model.serverFaultLimits().failovers) - serversState.faults.failovers;
}

void confirmWrites(ServersState &serversState, const Model &model, int server, ClientIndex client, qint64 confirmed)
{
    if (!model.faults().failovers || confirmed < replicas(model, serversState))
        return;
    const auto known = statesOf(serversState, server);
    const auto last = std::ranges::find(known, static_cast<qint8>(client), &FormerServerState::author);
    serversState.formerStates.erase(last, known.end());
}

void advanceFormerStates(ServersState &serversState, Model &model, std::chrono::milliseconds time)
{
    for (FormerServerState &former : serversState.formerStates) {
        Snapshot snapshot = model.effectCache().snapshot(former.snapshot);
        for (SnapshotKey &key : snapshot.keys)
            key.shortenLifetime(time);
        const auto hasEnded = [](const SnapshotKey &key) { return key.lifetime && *key.lifetime <= 0ms; };
        std::erase_if(snapshot.keys, hasEnded);
        std::erase_if(former.owned, [&](const Ownership &owned) { return snapshot.find(owned.key) == nullptr; });
        former.snapshot = model.effectCache().number(std::move(snapshot));
    }
    // The value of a hash does not show which of its fields have ended.
    std::erase_if(serversState.formerStates, [&](const FormerServerState &former) {
        return std::ranges::any_of(model.effectCache().snapshot(former.snapshot).keys, [](const SnapshotKey &key) {
            return std::ranges::any_of(key.fieldEnds, [](const auto &field) { return field.second <= 0ms; });
        });
    });
}

void carryOutServerFault(ServersState &serversState, Model &model, const State &state, const Move &move)
{
    switch (move.kind) {
    case Move::Kind::Failover:
        ++serversState.faults.failovers;
        discardWrites(serversState, model, move.index, move.key);
        break;
    case Move::Kind::Restart:
        ++serversState.faults.restarts;
        discardWrites(serversState, model, move.index, move.key);
        if (model.serverFaultLimits().restartsAfterLease) {
            jumpClock(serversState, model, move.index); // While the server is down, the leases on it end too.
            serversState.outages[move.index] = ServersState::isDown | clientsUnderWay(model, state);
        }
        break;
    case Move::Kind::Return:
        serversState.outages[move.index] = 0;
        break;
    case Move::Kind::ClockJump:
        ++serversState.faults.clockJumps;
        jumpClock(serversState, model, move.index);
        break;
    default:
        Q_UNREACHABLE();
    }
    if (writesToRemember(model, serversState) == 0)
        serversState.formerStates.clear();
}

} // namespace latchkey::races

#include "core/explore/races/moves.h"

#include "core/explore/races/serverfaults.h"
#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

namespace {

void addMessages(const Model &model, const State &state, ClientIndex client, std::vector<Move> &moves)
{
    Move move;
    move.kind = Move::Kind::Message;
    move.client = static_cast<qint8>(client);
    for (int server = 0; server < model.subject().servers; ++server) {
        for (const ConnectionState &connection : model.snapshot(state, server).connections) {
            if (connection.inbox.empty() || clientOf(connection.client) != client)
                continue;
            move.index = static_cast<quint8>(conversationOf(connection.client));
            moves.push_back(move);
        }
    }
}

/// Returns whether a message is pending in the conversation of the request.
bool isBehindMessage(const Model &model, const State &state, ClientIndex client, const GraphNode::Pending &request)
{
    return model.snapshot(state, request.server).hasPendingMessage(conversationIdOf(client, request.conversation));
}

/// Adds the client's moves at the point that it reaches by this way.
void addSteps(const Model &model, const State &state, const GraphNode &from, Move move, std::vector<Move> &moves)
{
    switch (from.wait) {
    case Attempt::Wait::Commands:
        move.kind = Move::Kind::Command;
        for (std::size_t i = 0; i < from.requests.size(); ++i) {
            move.index = static_cast<quint8>(i);
            // While a message is pending in the conversation, only the message is delivered. The client's command there
            // affects nothing else, so one order of the two is enough.
            if (!isBehindMessage(model, state, move.client, from.requests[i]))
                moves.push_back(move);
        }
        break;
    case Attempt::Wait::Clock:
        move.kind = Move::Kind::Clock;
        moves.push_back(move);
        break;
    case Attempt::Wait::Rest:
        move.kind = Move::Kind::Rest;
        moves.push_back(move);
        break;
    case Attempt::Wait::Fork:
    case Attempt::Wait::Nothing:
        break;
    }
}

bool mayCrash(const Model &model, const State &state)
{
    const ExternalProgram *program = model.subject().program.get();
    return model.faults().crashes
        && (program == nullptr || std::ranges::count(state.nodes, ClientGraph::crashed) < program->limits().crashes);
}

bool mayLoseReplies(const Model &model, const State &state)
{
    const ExternalProgram *program = model.subject().program.get();
    // In a partition, replies are lost in any case.
    return program != nullptr && !model.faults().partitions && lossesIn(state) < program->limits().lostReplies;
}

/// Returns whether the client may take its turn within the limit of preemptions.
bool mayMove(const Model &model, const State &state, ClientIndex client)
{
    const ExternalProgram *program = model.subject().program.get();
    if (program == nullptr || !program->limits().preemptions)
        return true;
    return !preemptsAnother(model, state, client) || preemptionsIn(state) < *program->limits().preemptions;
}

void addMovesOf(const Model &model, const State &state, ClientIndex client, std::vector<Move> &moves)
{
    const ClientGraph &graph = model.graph(client);
    const GraphNode &node = model.nodeOf(state, client);
    Move move;
    move.client = static_cast<qint8>(client);
    const bool isItsTurn = mayMove(model, state, client);
    if (!isItsTurn) {
        // The client can still crash.
    } else if (node.wait == Attempt::Wait::Fork) {
        for (std::size_t branch = 0; branch < node.branches.size(); ++branch) {
            move.branch = static_cast<quint8>(branch);
            addSteps(model, state, graph[node.branches[branch]], move, moves);
        }
        move.branch = Move::noBranch;
    } else {
        addSteps(model, state, node, move, moves);
        addMessages(model, state, client, moves);
    }
    if (isItsTurn && node.status.canWrite) {
        move.kind = Move::Kind::Write;
        moves.push_back(move);
    }
    if (isItsTurn && mayLoseReplies(model, state)) {
        move.kind = Move::Kind::LostCommand;
        for (std::size_t i = 0; i < node.requests.size(); ++i) {
            move.index = static_cast<quint8>(i);
            if (!isBehindMessage(model, state, client, node.requests[i]))
                moves.push_back(move);
        }
        move.index = 0;
    }
    if (mayCrash(model, state) && node.hasBegun) {
        move.kind = Move::Kind::Crash;
        moves.push_back(move);
    }
}

/// Returns whether a living client relies on the lease that would end. This client is the holder, unless another client
/// has set an earlier end than the holder requested. Otherwise, it is the client that set the lifetime last.
bool isReliedOn(const Model &model, const State &state, int server, SnapshotKey::Lifetime::value_type lifetime)
{
    const ServersState &serversState = model.serversState(state);
    const ClientIndex holder = serversState.holder[toIndex(server)];
    if (Model::isAlive(state, holder))
        return lifetime >= Subject::leaseOf(holder).duration();
    return Model::isAlive(state, serversState.writer[toIndex(server)]);
}

/// Returns whether advancing the clocks past the deadline in the lock ends a lease on which a living client relies.
/// Such a client is inside, or has written to the lock and may be about to enter. A deadline written by another client
/// does not shorten this client's lease.
bool isDeadlineReliedOn(const Model &model, const State &state, int server)
{
    const ServersState &serversState = model.serversState(state);
    const std::chrono::seconds passed = *model.clockAdvanceForDeadline(state, server);
    for (ClientIndex client = 0; client < model.subject().clients; ++client) {
        const bool hasStake = (serversState.contributors[toIndex(server)] & (1 << client)) != 0;
        if (Model::isAlive(state, client) && (hasStake || model.nodeOf(state, client).status.isInside)
            && passed >= model.clockAdvanceForLease(state, client))
            return true;
    }
    return false;
}

bool mayLapse(const Model &model, const State &state, int server, const SnapshotKey &key)
{
    const Subject &subject = model.subject();
    const Faults &faults = model.faults();
    const bool isLock = key.key == subject.key.bytes();
    if (!key.lifetime && !(isLock && model.clockAdvanceForDeadline(state, server)))
        return false;
    if (faults.guardStays && key.key == subject.guard.bytes())
        return false;
    if (faults.lapses == Lapses::Any || !isLock)
        return true;
    return key.lifetime ? !isReliedOn(model, state, server, *key.lifetime) : !isDeadlineReliedOn(model, state, server);
}

/// Adds the move once for every set of clients that may have begun before it without sending anything. The set matters
/// only for clients that send times. Such clients outlast the lease that they assume, so the rule must allow any lapse.
void addForEverySubset(const Model &model, const State &state, Move move, std::vector<Move> &moves)
{
    int waiting = 0; // Clients that have sent nothing, one bit each.
    for (ClientIndex client = 0; client < model.subject().clients; ++client)
        waiting |= Model::isAlive(state, client) && !model.hasBegun(state, client) ? 1 << client : 0;
    const bool isOneWay = !model.subject().program->sendsTimes() || model.faults().lapses != Lapses::Any;
    for (int begun = waiting;; begun = (begun - 1) & waiting) { // All subsets, the empty one last.
        move.index = static_cast<quint8>(begun);
        if (!isOneWay || begun == 0)
            moves.push_back(move);
        if (begun == 0)
            break;
    }
}

/// Adds the moves of time for programs. Time may advance to the next timer of a client. Time may also advance to the
/// next expiry, unless the limit is reached or the rule requires that no living client outlasts its lease. Neither
/// condition applies if the program itself outlasts the lease by a pause.
void addTimeAdvances(const Model &model, const State &state, std::vector<Move> &moves)
{
    const schedules::FaultLimits limits = model.subject().program->limits();
    Move move;
    if (timerStepsIn(state) < limits.timerSteps && advanceToTimer(model, state)) {
        move.kind = Move::Kind::Timer;
        addForEverySubset(model, state, move, moves);
    }
    const auto advance = advanceToExpiry(model, state);
    if (!advance || model.faults().lapses == Lapses::None)
        return;
    const bool isChosen = !endsDuringPauses(model, state, *advance);
    if (isChosen
        && (expirationsIn(state) >= limits.expirations
            || (model.faults().lapses != Lapses::Any && isReliedOn(model, state, *advance))))
        return;
    move.kind = Move::Kind::Lapse;
    addForEverySubset(model, state, move, moves);
}

void addLapses(const Model &model, const State &state, std::vector<Move> &moves)
{
    for (int server = 0; server < model.subject().servers; ++server) {
        const auto &keys = model.snapshot(state, server).keys;
        for (std::size_t key = 0; key < keys.size(); ++key) {
            if (!mayLapse(model, state, server, keys[key]))
                continue;
            Move move;
            move.kind = keys[key].lifetime ? Move::Kind::Lapse : Move::Kind::PassDeadline;
            move.index = static_cast<quint8>(server);
            move.key = static_cast<quint8>(key);
            moves.push_back(move);
        }
    }
}

} // namespace

bool preemptsAnother(const Model &model, const State &state, ClientIndex client)
{
    const ClientIndex turn = turnIn(state);
    return turn != client && Model::isAlive(state, turn) && !model.nodeOf(state, turn).requests.empty();
}

void possibleMoves(const Model &model, const State &state, std::vector<Move> &moves)
{
    moves.clear();
    if (model.isOver(state))
        return;
    for (ClientIndex client = 0; client < model.subject().clients; ++client) {
        if (Model::isAlive(state, client))
            addMovesOf(model, state, client, moves);
    }
    if (model.subject().program)
        addTimeAdvances(model, state, moves);
    else if (model.faults().lapses != Lapses::None)
        addLapses(model, state, moves);
    if (model.faults().includeServers()) {
        followReachability(model, state, moves);
        addServerFaults(model, state, moves);
    }
}

} // namespace latchkey::races

#include "core/explore/races/transitions.h"

#include "core/explore/races/moves.h"
#include "core/explore/races/ownership.h"
#include "core/explore/races/serverfaults.h"
#include "core/explore/races/timeadvance.h"
#include "core/explore/schedules/waiting.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using std::chrono::seconds;

namespace {

/// The error of a client that receives no reply: it does not know whether the command was executed.
constexpr auto unanswered = base::ErrorKind::TimedOut;

} // namespace

Transitions::Transitions(Model &model)
    : m_model(model)
    , m_effects(model)
    , m_readDependence(model, m_effects)
{}

Result<Successor> Transitions::apply(const State &state, const Move &move)
{
    switch (move.kind) {
    case Move::Kind::Lapse:
    case Move::Kind::PassDeadline:
    case Move::Kind::Timer:
        return m_model.subject().program ? advanceTime(state, move) : lapse(state, move);
    case Move::Kind::Crash:
        return crash(state, move);
    case Move::Kind::Begin:
        return begin(state, move);
    case Move::Kind::Failover:
    case Move::Kind::Restart:
    case Move::Kind::Return:
    case Move::Kind::ClockJump:
        return failServer(state, move);
    default:
        return stepClient(state, move);
    }
}

Result<Transitions::TakenStep> Transitions::take(const State &state, const Move &move)
{
    ClientGraph &graph = m_model.graph(move.client);
    TakenStep taken;
    ClientStep &step = taken.step;
    step.from = Model::positionOf(state, move.client);
    if (move.branch != Move::noBranch)
        step.from = graph[step.from].branches[move.branch];
    step.to = step.from;
    switch (move.kind) {
    case Move::Kind::Command:
    case Move::Kind::LostCommand: {
        const GraphNode::Pending request = graph[step.from].requests[move.index];
        const auto applied = m_effects.executeRequest(state.serversState, move.client, request);
        if (!applied)
            return failure(applied.error());
        taken.applied = *applied;
        step.server = request.server;
        step.command = request.command;
        step.reply = applied->reply;
        step.isWaiting = move.kind == Move::Kind::Command && isTimeoutReply(request, applied->reply);
        if (step.isWaiting)
            break;
        step.failure = unanswered;
        step.to = move.kind == Move::Kind::Command     ? graph.afterReply(step.from, request.index, applied->reply)
                : m_model.subject().program != nullptr ? graph.afterLoss(step.from, request.index, applied->reply)
                                                       : graph.afterFailure(step.from, request.index, unanswered);
        break;
    }
    case Move::Kind::UnreachedCommand: {
        const GraphNode::Pending request = graph[step.from].requests[move.index];
        step.server = request.server;
        step.command = request.command;
        step.failure = isDown(m_model.serversState(state), request.server) ? base::ErrorKind::Unreachable : unanswered;
        step.to = m_model.subject().program != nullptr
                    ? graph.afterLoss(step.from, request.index, m_model.effectCache().number(resp::Reply::nil()))
                    : graph.afterFailure(step.from, request.index, step.failure);
        break;
    }
    case Move::Kind::Message:
        takeMessage(taken, state, move);
        break;
    case Move::Kind::Clock:
        step.to = graph.afterClock(step.from, seconds(state.clockOrCounters));
        break;
    case Move::Kind::Rest:
        step.to = graph.afterRest(step.from);
        break;
    case Move::Kind::Write:
        step.to = graph.afterWrite(step.from);
        break;
    default:
        Q_UNREACHABLE();
    }
    if (const ExternalProgram *program = m_model.subject().program.get()) {
        if (auto error = program->error())
            return failure(*std::move(error));
    }
    return taken;
}

/// Delivers the message to the client. `taken`: with the start point.
void Transitions::takeMessage(TakenStep &taken, const State &state, const Move &move)
{
    ClientStep &step = taken.step;
    const int conversationId = conversationIdOf(move.client, move.index);
    step.server = m_model.serverWithMessage(state, conversationId);
    Snapshot snapshot = m_model.snapshot(state, step.server);
    step.reply = m_model.effectCache().number(snapshot.takeMessage(conversationId));
    taken.applied.after = withServer(state.serversState, step.server, std::move(snapshot));
    step.to = m_model.graph(move.client).afterMessage(step.from, move.index, step.reply);
}

Result<ClientStep> Transitions::clientStep(const State &state, const Move &move)
{
    const auto taken = take(state, move);
    if (!taken)
        return failure(taken.error());
    return taken->step;
}

Result<Successor> Transitions::stepClient(const State &state, const Move &move)
{
    auto taken = take(state, move);
    if (!taken)
        return failure(taken.error());
    ResourceAccess &access = taken->applied.change.access;
    if (const auto updated = m_readDependence.update(access, state, move.client, taken->step); !updated)
        return failure(updated.error());
    Successor successor {state, false};
    successor.isWaiting = taken->step.isWaiting;
    if (successor.isWaiting)
        return successor;
    if (move.kind == Move::Kind::Command || move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::Message)
        successor.state.serversState = taken->applied.after;
    if (m_model.faults().includeServers())
        successor.state.serversState = afterReaching(successor.state.serversState, move, taken->step.server);
    if (move.kind == Move::Kind::LostCommand && m_model.subject().program && !m_model.faults().partitions)
        successor.state.clockOrCounters += oneLoss;
    if (move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::UnreachedCommand) {
        Snapshot snapshot = m_model.snapshot(successor.state, taken->step.server);
        ConnectionState clean;
        clean.client = conversationIdOf(move.client,
                                        m_model.graph(move.client)[taken->step.from].requests[move.index].conversation);
        snapshot.setConnection(clean);
        successor.state.serversState =
            withServer(successor.state.serversState, taken->step.server, std::move(snapshot));
    }

    const ClientGraph &graph = m_model.graph(move.client);
    const GraphNode &from = graph[taken->step.from];
    const GraphNode &to = graph[taken->step.to];
    successor.state.serversState = moved(successor.state.serversState, move.client, from, to);
    closeListening(successor.state, move.client, to);
    if (const ExternalProgram *program = m_model.subject().program.get();
        program != nullptr && program->limits().preemptions) {
        if (preemptsAnother(m_model, state, move.client))
            successor.state.clockOrCounters += onePreemption;
        // A client that returned to an earlier point has retried without success and yields its turn. A client that
        // only waits yields it too.
        const auto waits = onlyWaits(successor.state.serversState, move.client, to);
        if (!waits)
            return failure(waits.error());
        setTurn(successor.state, taken->step.to <= taken->step.from || *waits ? noClient : move.client);
    }
    successor.state.nodes[toIndex(move.client)] =
        to.wait == Attempt::Wait::Nothing ? ClientGraph::finished : taken->step.to;

    int inside = 0;
    for (ClientIndex client = 0; client < m_model.subject().clients; ++client) {
        const ClientStatus &other = m_model.nodeOf(successor.state, client).status;
        inside += other.isInside && (other.criticalSections & to.status.criticalSections) != 0 ? 1 : 0;
    }
    successor.isBroken = m_model.rule().isBrokenBy({move, from.status, to.status, taken->applied.change, inside},
                                                   successor.state.ruleState);
    return successor;
}

Successor Transitions::crash(const State &state, const Move &move)
{
    Successor successor {state, false};
    const ClientStatus from = m_model.nodeOf(state, move.client).status;
    successor.state.nodes[toIndex(move.client)] = ClientGraph::crashed;
    // A crash closes the client's connections and drops their watches and queues.
    ServersState serversState = m_model.serversState(state);
    for (SnapshotId &id : serversState.servers) {
        Snapshot snapshot = m_model.effectCache().snapshot(id);
        snapshot.disconnect(move.client);
        id = m_model.effectCache().number(std::move(snapshot));
    }
    releaseOwnership(serversState, move.client);
    successor.state.serversState = m_model.number(serversState);
    ClientStatus dead;
    dead.stage = Stage::Finished;
    successor.isBroken = m_model.rule().isBrokenBy({move, from, dead, {}, 0}, successor.state.ruleState);
    return successor;
}

Result<Successor> Transitions::lapse(const State &state, const Move &move)
{
    Successor successor {state, false};
    LockChange change;
    if (move.kind == Move::Kind::Lapse) {
        const QByteArray key = m_model.snapshot(state, move.index).keys[move.key].key;
        const auto applied = m_effects.execute(state.serversState, noClient, move.index,
                                               m_model.effectCache().number(Command {"DEL", key}));
        if (!applied)
            return failure(applied.error());
        successor.state.serversState = applied->after;
        change = applied->change;
    } else {
        successor.state.clockOrCounters =
            static_cast<quint32>(m_model.clockAdvanceForDeadline(state, move.index)->count());
        // The key remains but is no longer a lock of any client.
        ServersState serversState = m_model.serversState(state);
        serversState.clearHolder(move.index);
        successor.state.serversState = m_model.number(serversState);
    }
    const ClientStatus none;
    successor.isBroken = m_model.rule().isBrokenBy({move, none, none, change, 0}, successor.state.ruleState);
    return successor;
}

Successor Transitions::failServer(const State &state, const Move &move)
{
    Successor successor {state, false};
    ServersState serversState = m_model.serversState(state);
    carryOutServerFault(serversState, m_model, state, move);
    successor.state.serversState = m_model.number(serversState);
    const ClientStatus none;
    successor.isBroken = m_model.rule().isBrokenBy({move, none, none, {}, 0}, successor.state.ruleState);
    return successor;
}

/// Returns the state of the servers after the client's step has reached the server or failed to reach it.
ServersStateId Transitions::afterReaching(ServersStateId serversStateId, const Move &move, int server)
{
    ServersState serversState = m_model.serversState(serversStateId);
    followPartition(serversState, move, server);
    return m_model.number(serversState);
}

ServersStateId Transitions::withServer(ServersStateId serversStateId, int server, Snapshot snapshot)
{
    ServersState serversState = m_model.serversState(serversStateId);
    serversState.servers[toIndex(server)] = m_model.effectCache().number(std::move(snapshot));
    return m_model.number(serversState);
}

/// Returns the state of the servers after the client has moved from one node to the other.
ServersStateId Transitions::moved(ServersStateId serversStateId, ClientIndex client, const GraphNode &from,
                                  const GraphNode &to)
{
    if (!m_model.subject().program)
        return to.hasWon && !from.hasWon ? claimed(serversStateId, client) : serversStateId;
    // Critical sections can be nested: keys written after the outer entry belong to the lock of the inner one.
    const bool hasEntered = (to.status.criticalSections & ~from.status.criticalSections) != 0;
    const bool hasLeft = from.status.isInside && !to.status.isInside;
    if (!hasEntered && !hasLeft)
        return serversStateId;
    ServersState serversState = m_model.serversState(serversStateId);
    hasEntered ? claim(serversState, *m_model.subject().program, client) : releaseOwnership(serversState, client);
    return m_model.number(serversState);
}

/// Makes the client, which has just won, the holder on each server to which it was the last to write.
ServersStateId Transitions::claimed(ServersStateId serversStateId, ClientIndex client)
{
    ServersState serversState = m_model.serversState(serversStateId);
    for (std::size_t server = 0; server < serversState.writer.size(); ++server) {
        if (serversState.writer[server] == client)
            serversState.holder[server] = static_cast<qint8>(client);
    }
    return m_model.number(serversState);
}

/// Returns whether the reply shows that the blocking command continues to wait.
bool Transitions::isTimeoutReply(const GraphNode::Pending &request, ReplyId reply) const
{
    const EffectCache &effectCache = m_model.effectCache();
    return m_model.subject().program && !request.isDue() // A recipe receives the reply after the timeout.
        && schedules::waitingOf(effectCache.command(request.command))->isTimeoutReply(effectCache.reply(reply));
}

/// Returns whether every command that the client can send would wait in the server.
Result<bool> Transitions::onlyWaits(ServersStateId serversState, ClientIndex client, const GraphNode &node)
{
    if (std::ranges::any_of(node.requests, &GraphNode::Pending::isDue))
        return false;
    for (const GraphNode::Pending &request : node.requests) {
        const auto applied = m_effects.executeRequest(serversState, client, request);
        if (!applied)
            return failure(applied.error());
        if (!isTimeoutReply(request, applied->reply))
            return false;
    }
    return !node.requests.empty();
}

/// Advances the time and shortens all remaining lifetimes.
Result<Successor> Transitions::advanceTime(const State &state, const Move &move)
{
    const bool isToTimer = move.kind == Move::Kind::Timer;
    const auto advance = isToTimer ? advanceToTimer(m_model, state) : advanceToExpiry(m_model, state);
    Q_ASSERT(advance);
    Successor successor {state, false};
    for (const auto &[server, command] : advance->endingCommands()) {
        const auto applied =
            m_effects.execute(successor.state.serversState, noClient, server, m_model.effectCache().number(command));
        if (!applied)
            return failure(applied.error());
        successor.state.serversState = applied->after;
    }
    ServersState serversState = m_model.serversState(successor.state);
    for (int server = 0; server < m_model.subject().servers; ++server) {
        Snapshot after = m_model.effectCache().snapshot(serversState.servers[toIndex(server)]);
        for (SnapshotKey &key : after.keys)
            key.shortenLifetime(advance->by);
        if (m_model.effectCache().hasClock())
            after.time += advance->by;
        serversState.servers[toIndex(server)] = m_model.effectCache().number(std::move(after));
    }
    advanceFormerStates(serversState, m_model, advance->by);
    if (!isToTimer && advance->endsNothing())
        endStoredLeases(serversState, m_model.clientsUnderWay(state, move.index));
    successor.state.serversState = m_model.number(serversState);
    if (isToTimer)
        successor.state.clockOrCounters += oneTimerStep;
    else if (!endsDuringPauses(m_model, state, *advance))
        successor.state.clockOrCounters += oneExpiration;
    if (auto passed = advanceClients(successor.state, advance->by, move); !passed)
        return failure(std::move(passed.error()));
    return successor;
}

/// Advances the clients by the time that has passed. `state`: the time has already passed for the server.
Result<void> Transitions::advanceClients(State &state, std::chrono::milliseconds by, const Move &move)
{
    const ExternalProgram &program = *m_model.subject().program;
    if (!program.isClockControlled())
        return {};
    const auto now = m_model.snapshot(state, 0).time;
    for (ClientIndex client = 0; client <= m_model.subject().clients; ++client) {
        const NodeId position = Model::positionOf(state, client);
        const bool isNext = client == m_model.subject().clients; // The next client gets its start time when it begins.
        if (!Model::isAlive(state, client) || (isNext && !m_model.hasBegun(state, client)))
            continue;
        ClientGraph &graph = m_model.graph(client);
        const NodeId to = m_model.advancesTimeOf(state, client, move.index) ? graph.afterTimeAdvance(position, by)
                                                                            : graph.beginningAt(now);
        if (auto error = program.error())
            return failure(*std::move(error));
        state.serversState = moved(state.serversState, client, graph[position], graph[to]);
        closeListening(state, client, graph[to]);
        state.nodes[toIndex(client)] = graph[to].wait == Attempt::Wait::Nothing ? ClientGraph::finished : to;
    }
    return {};
}

/// Starts the next client at the current time.
Result<Successor> Transitions::begin(const State &state, const Move &move)
{
    Successor successor {state, false};
    const auto now = m_model.snapshot(state, 0).time;
    successor.state.nodes[toIndex(move.client)] = m_model.graph(move.client).beginningAt(now);
    if (auto error = m_model.subject().program->error())
        return failure(*std::move(error));
    return successor;
}

/// Removes the subscriber connections that the client has closed.
void Transitions::closeListening(State &state, ClientIndex client, const GraphNode &node)
{
    for (int server = 0; server < m_model.subject().servers; ++server) {
        const auto &connections = m_model.snapshot(state, server).connections;
        if (std::ranges::none_of(connections, &ConnectionState::listens))
            continue;
        Snapshot snapshot = m_model.snapshot(state, server);
        snapshot.closeListening(client, node.listening);
        state.serversState = withServer(state.serversState, server, std::move(snapshot));
    }
}

} // namespace latchkey::races

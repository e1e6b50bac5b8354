#include "core/explore/races/transitions.h"

#include "core/explore/races/moves.h"
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

LockChange changeOf(const SnapshotKey *before, const SnapshotKey *after)
{
    LockChange change;
    if (before == nullptr)
        return change;
    change.ended = after == nullptr;
    change.valueChanged = after != nullptr && !haveEqualValues(before, after);
    change.lifetimeChanged = after != nullptr && before->lifetime != after->lifetime;
    return change;
}

/// The error of a client that receives no reply: it does not know whether the command was executed.
constexpr auto unanswered = base::ErrorKind::TimedOut;

/// Clears the owner of the lock on this server.
void clearHolder(ServersState &serversState, int server)
{
    serversState.holder[toIndex(server)] = noClient;
    serversState.writer[toIndex(server)] = noClient;
    serversState.contributors[toIndex(server)] = 0;
}

} // namespace

Transitions::Transitions(Model &model)
    : m_model(model)
    , m_probe(model.effectCache())
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
        const auto applied = execute(state.serversState, conversationIdOf(move.client, request.conversation),
                                     request.server, request.command);
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
        step.to = graph.afterFailure(step.from, request.index, step.failure);
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
    if (const auto compared = compareReads(*taken, state, move.client); !compared)
        return failure(compared.error());
    Successor successor {state, false};
    successor.isWaiting = taken->step.isWaiting;
    if (successor.isWaiting)
        return successor;
    if (move.kind == Move::Kind::Command || move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::Message)
        successor.state.serversState = taken->applied.after;
    if (m_model.faults().includeServers())
        successor.state.serversState = afterReaching(successor.state.serversState, move, taken->step.server);
    if (move.kind == Move::Kind::LostCommand && m_model.subject().program)
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
        const auto applied =
            execute(state.serversState, noClient, move.index, m_model.effectCache().number(Command {"DEL", key}));
        if (!applied)
            return failure(applied.error());
        successor.state.serversState = applied->after;
        change = applied->change;
    } else {
        successor.state.clockOrCounters =
            static_cast<quint32>(m_model.clockAdvanceForDeadline(state, move.index)->count());
        // The key remains but is no longer a lock of any client.
        ServersState serversState = m_model.serversState(state);
        clearHolder(serversState, move.index);
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

Result<Transitions::AppliedEffect> Transitions::execute(ServersStateId serversStateId, int conversationId, int server,
                                                        CommandId command)
{
    const EffectKey key {serversStateId, conversationId, server, command};
    if (const auto known = m_effects.find(key); known != m_effects.end())
        return known->second;
    ServersState serversState = m_model.serversState(serversStateId);
    const auto effect = m_model.effectCache().execute(serversState.servers[toIndex(server)], conversationId, command);
    if (!effect)
        return failure(effect.error());

    AppliedEffect applied;
    applied.reply = effect->reply;
    if (m_model.faults().includeServers())
        rememberWrite(serversState, m_model, server, clientOf(conversationId), effect->after);
    if (!m_model.subject().program)
        note(applied, serversState, server, clientOf(conversationId), *effect);
    else if (auto noted = noteForProgram(applied, serversState, key, *effect); !noted)
        return failure(std::move(noted.error()));
    serversState.servers[toIndex(server)] = effect->after;
    applied.after = m_model.number(serversState);
    m_effects.emplace(key, applied);
    return applied;
}

/// Records the change of the lock and its new owner.
void Transitions::note(AppliedEffect &applied, ServersState &serversState, int server, ClientIndex client,
                       const Effect &effect) const
{
    const EffectCache &effectCache = m_model.effectCache();
    const Snapshot &held = effectCache.snapshot(serversState.servers[toIndex(server)]);
    const QByteArray &lock = m_model.subject().key.bytes();
    const SnapshotKey *before = held.find(lock);
    const SnapshotKey *after = effectCache.snapshot(effect.after).find(lock);
    applied.change = changeOf(before, after);
    applied.change.holder = serversState.holder[toIndex(server)];
    applied.change.writer = serversState.writer[toIndex(server)];
    if (after == nullptr) {
        clearHolder(serversState, server);
    } else if (before == nullptr) {
        serversState.holder[toIndex(server)] = static_cast<qint8>(client);
        serversState.writer[toIndex(server)] = static_cast<qint8>(client);
    } else if (applied.change.happened()) {
        serversState.writer[toIndex(server)] = static_cast<qint8>(client);
    }
    if (after != nullptr && client != noClient && (before == nullptr || applied.change.happened()))
        serversState.contributors[toIndex(server)] =
            static_cast<quint8>(serversState.contributors[toIndex(server)] | (1 << client));
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

} // namespace latchkey::races

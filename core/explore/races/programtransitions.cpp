#include "core/explore/races/timeadvance.h"
#include "core/explore/races/transitions.h"
#include "core/explore/schedules/waiting.h"

#include <algorithm>

// Moves that exist only if the clients are programs: passing time, waiting in the server, and closing connections.

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;

namespace {

/// Returns the commands that end the keys and the fields, each with its server.
std::vector<std::pair<int, Command>> commandsThatEnd(const TimeAdvance &advance)
{
    std::vector<std::pair<int, Command>> commands;
    for (const auto &[server, key] : advance.ending) {
        if (commands.empty() || commands.back().first != server)
            commands.emplace_back(server, Command {"DEL"});
        commands.back().second << key;
    }
    for (const auto &[key, field] : advance.endingFields)
        commands.emplace_back(key.server, Command {"HDEL", key.key, field});
    return commands;
}

/// Returns the command that reads the parts of a key of this type.
Command readOfParts(const QByteArray &type, const QByteArray &key)
{
    if (type == "set")
        return {"SMEMBERS", key};
    return type == "zset" ? Command {"ZRANGE", key, "0", "-1", "WITHSCORES"} : Command {"HGETALL", key};
}

/// Returns the parts of the key; none if it is absent or has a type without parts.
Result<KeyParts> partsOf(EffectCache &effectCache, SnapshotId server, const QByteArray &key)
{
    KeyParts parts;
    const SnapshotKey *state = effectCache.snapshot(server).find(key);
    if (state == nullptr || !hasParts(state->type))
        return parts;
    const std::size_t width = state->type == "set" ? 1 : 2;
    const auto effect = effectCache.execute(server, noClient, effectCache.number(readOfParts(state->type, key)));
    if (!effect)
        return failure(effect.error());
    const auto &elements = effectCache.reply(effect->reply).elements();
    for (std::size_t i = 0; i + width <= elements.size(); i += width)
        parts[elements[i].bytes()] = width == 2 ? elements[i + 1].bytes() : QByteArray();
    return parts;
}

/// Returns the living clients for which time passes, one bit each. `begun`: see Move::index.
quint8 clientsUnderWay(const Model &model, const State &state, int begun)
{
    quint8 clients = 0;
    for (ClientIndex client = 0; client <= model.subject().clients; ++client) {
        if (Model::isAlive(state, client) && model.advancesTimeOf(state, client, begun))
            clients = static_cast<quint8>(clients | (1 << client));
    }
    return clients;
}

} // namespace

/// Returns the parts of each key with parts whose value differs between the two.
Result<std::map<QByteArray, std::pair<KeyParts, KeyParts>>> Transitions::changedParts(SnapshotId before,
                                                                                      SnapshotId after)
{
    EffectCache &effectCache = m_model.effectCache();
    std::map<QByteArray, std::pair<KeyParts, KeyParts>> changed;
    const auto keys = effectCache.snapshot(after).keys; // A copy: each question adds snapshots.
    for (const SnapshotKey &key : keys) {
        if (!hasParts(key.type) || haveEqualValues(effectCache.snapshot(before).find(key.key), &key))
            continue;
        auto former = partsOf(effectCache, before, key.key);
        auto now = partsOf(effectCache, after, key.key);
        if (!former || !now)
            return failure(former ? now.error() : former.error());
        changed[key.key] = {*std::move(former), *std::move(now)};
    }
    return changed;
}

/// Returns whether the reply shows that the blocking command continues to wait.
bool Transitions::isTimeoutReply(const GraphNode::Pending &request, ReplyId reply) const
{
    const EffectCache &effectCache = m_model.effectCache();
    return !request.isDue()
        && schedules::waitingOf(effectCache.command(request.command))->isTimeoutReply(effectCache.reply(reply));
}

/// Returns whether every command that the client can send would wait in the server.
Result<bool> Transitions::onlyWaits(ServersStateId serversState, ClientIndex client, const GraphNode &node)
{
    if (std::ranges::any_of(node.requests, &GraphNode::Pending::isDue))
        return false;
    for (const GraphNode::Pending &request : node.requests) {
        const auto applied =
            execute(serversState, conversationIdOf(client, request.conversation), request.server, request.command);
        if (!applied)
            return failure(applied.error());
        if (!isTimeoutReply(request, applied->reply))
            return false;
    }
    return !node.requests.empty();
}

/// Records the use of the resource, and the owners of the keys.
Result<void> Transitions::noteForProgram(AppliedEffect &applied, ServersState &serversState, const EffectKey &question,
                                         const Effect &effect)
{
    const EffectCache &effectCache = m_model.effectCache();
    const auto [serversStateId, conversationId, server, command] = question;
    const SnapshotId from = serversState.servers[toIndex(server)];
    const QByteArray &resource = m_model.subject().key.bytes();
    KeyInfluence influence;
    std::vector<QByteArray> set;
    if (conversationId != noClient) {
        if (!resource.isEmpty()) {
            const auto asked = m_probe.influence(from, conversationId, command, resource);
            if (!asked)
                return failure(asked.error());
            influence = *asked;
        }
        for (const QByteArray &key : unchangedKeysOfOtherClients(
                 serversState,
                 {server, effectCache.snapshot(from), effectCache.snapshot(effect.after), clientOf(conversationId)})) {
            const auto isSet = m_probe.sets(from, conversationId, command, key);
            if (!isSet)
                return failure(isSet.error());
            if (*isSet)
                set.push_back(key);
        }
    }
    auto parts = changedParts(from, effect.after);
    if (!parts)
        return failure(parts.error());
    const ExternalProgram &program = *m_model.subject().program;
    const Snapshot &before = effectCache.snapshot(from);
    const Snapshot &after = effectCache.snapshot(effect.after);
    applied.change.access =
        program.accessBy(effectCache.commands(command), effectCache.reply(effect.reply), before, after, influence);
    updateOwners(serversState, program,
                 {server, before, after, clientOf(conversationId), std::move(set), effectCache.commands(command),
                  *std::move(parts)},
                 applied.change);
    return {};
}

/// Returns the client's reads of the resource on its way to the node since its last write, the latest first. Before its
/// own former write, the client has read another state.
std::vector<Transitions::EarlierRead> Transitions::readsBefore(const State &state, ClientIndex client,
                                                               NodeId node) const
{
    const ExternalProgram &program = *m_model.subject().program;
    const EffectCache &effectCache = m_model.effectCache();
    const ClientGraph &graph = m_model.graph(client);
    std::vector<EarlierRead> reads;
    std::vector<NodeId> since;
    for (bool hasWritten = false; node != ClientGraph::root && !hasWritten; node = graph.parentOf(node)) {
        const auto read = graph.answerBefore(node);
        ResourceAccess access;
        if (read) {
            const Snapshot snapshot = m_model.snapshot(state, read->request.server);
            const auto &commands = effectCache.commands(read->request.command);
            access = program.accessBy(commands, effectCache.reply(read->reply), snapshot, snapshot, {});
        }
        if (access.reads)
            reads.push_back({node, *read, since, access.readsProperty});
        hasWritten = access.writes;
        since.push_back(node);
    }
    return reads;
}

/// Returns whether the client would also send the step's command if the read had returned this reply. Absent: the
/// client would send another command before.
Result<std::optional<bool>> Transitions::sendsAfter(ClientIndex client, const ClientStep &step, const EarlierRead &read,
                                                    ReplyId reply)
{
    ClientGraph &graph = m_model.graph(client);
    std::optional<NodeId> other = graph.afterReply(graph.parentOf(read.node), read.answer.request.index, reply);
    for (auto next = read.since.rbegin(); next != read.since.rend() && other; ++next)
        other = graph.replay(*next, *other);
    if (auto error = m_model.subject().program->error())
        return failure(*std::move(error));
    if (!other)
        return std::nullopt;
    const auto isSent = [&](const GraphNode::Pending &sent) {
        return std::ranges::any_of(graph[*other].requests, [&](const GraphNode::Pending &instead) {
            return sent.command == step.command && sent.isSameRequest(instead);
        });
    };
    return std::ranges::any_of(graph[step.from].requests, isSent);
}

/// Returns the result of sendsAfter() for the reply that the read would return now.
Result<std::optional<bool>> Transitions::sendsAfterCurrent(const State &state, ClientIndex client,
                                                           const ClientStep &step, const EarlierRead &read)
{
    const GraphNode::Pending &request = read.answer.request;
    const auto now =
        execute(state.serversState, conversationIdOf(client, request.conversation), request.server, request.command);
    if (!now)
        return failure(now.error());
    return now->reply == read.answer.reply ? Result<std::optional<bool>>(true)
                                           : sendsAfter(client, step, read, now->reply);
}

/// Returns whether the client would send another command if one of its reads of the resource had returned the current
/// value. If not, the step has the same effect as after fresh reads. If the client would send another command before,
/// this is known only for its last read. True if no reading command is recognizable.
Result<bool> Transitions::dependsOnEarlierRead(const State &state, ClientIndex client, const ClientStep &step)
{
    const auto reads = readsBefore(state, client, step.from);
    for (const EarlierRead &read : reads) {
        const auto isSent = sendsAfterCurrent(state, client, step, read);
        if (!isSent)
            return failure(isSent.error());
        if (!isSent->value_or(&read != &reads.front()))
            return true;
    }
    return reads.empty();
}

/// Returns whether the step's command depends on an earlier read of another value, but not on the last read: it would
/// differ if the earlier read had returned the current value, and would be the same if the last read had returned the
/// earlier value.
Result<bool> Transitions::ignoresLastRead(const State &state, ClientIndex client, const ClientStep &step)
{
    auto reads = readsBefore(state, client, step.from);
    std::erase_if(reads, &EarlierRead::isOfProperty);
    for (const EarlierRead &read : reads) {
        const ClientGraph::Answer &last = reads.front().answer;
        if (read.answer.request.command != last.request.command || read.answer.request.server != last.request.server
            || read.answer.reply == last.reply)
            continue;
        const auto isSent = sendsAfterCurrent(state, client, step, read);
        if (!isSent)
            return failure(isSent.error());
        if (isSent->value_or(true))
            continue;
        const auto isSentAsBefore = sendsAfter(client, step, reads.front(), read.answer.reply);
        if (!isSentAsBefore)
            return failure(isSentAsBefore.error());
        if (isSentAsBefore->value_or(false))
            return true;
    }
    return false;
}

/// Finds out on which reads an overwriting step depends. `taken`: its access to the resource is updated.
Result<void> Transitions::compareReads(TakenStep &taken, const State &state, ClientIndex client)
{
    ResourceAccess &access = taken.applied.change.access;
    if (access.overwrites && access.returnsOverwritten) {
        const auto depends = dependsOnEarlierRead(state, client, taken.step);
        if (!depends)
            return failure(depends.error());
        access.overwrites = *depends;
    } else if (access.overwrites && m_model.rule().comparesReads()) {
        const auto ignores = ignoresLastRead(state, client, taken.step);
        if (!ignores)
            return failure(ignores.error());
        access.ignoresLastRead = *ignores;
    }
    return {};
}

/// Advances the time and shortens all remaining lifetimes.
Result<Successor> Transitions::advanceTime(const State &state, const Move &move)
{
    const bool isToTimer = move.kind == Move::Kind::Timer;
    const auto advance = isToTimer ? advanceToTimer(m_model, state) : advanceToExpiry(m_model, state);
    Q_ASSERT(advance);
    Successor successor {state, false};
    for (const auto &[server, command] : commandsThatEnd(*advance)) {
        const auto applied =
            execute(successor.state.serversState, noClient, server, m_model.effectCache().number(command));
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
    if (!isToTimer && advance->endsNothing())
        endStoredLeases(serversState, clientsUnderWay(m_model, state, move.index));
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

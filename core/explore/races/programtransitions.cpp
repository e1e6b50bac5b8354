#include "core/explore/races/passing.h"
#include "core/explore/races/transitions.h"
#include "core/explore/schedules/waiting.h"

#include <algorithm>

// Moves that exist only if the clients are programs: passing time, waiting in the server, and closing connections.

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;

/// Whether the reply shows that the blocking command continues to wait.
bool Transitions::isInVain(const GraphNode::Pending &request, ReplyId reply) const
{
    const Testbed &testbed = m_model.testbed();
    return !request.isDue() && schedules::waitingOf(testbed.command(request.command))->isInVain(testbed.reply(reply));
}

/// Whether every command that the client can send would wait in the server.
Result<bool> Transitions::onlyWaits(WorldId world, ClientIndex client, const GraphNode &node)
{
    if (std::ranges::any_of(node.requests, &GraphNode::Pending::isDue))
        return false;
    for (const GraphNode::Pending &request : node.requests) {
        const auto applied = carryOut(world, speakerOf(client, request.conversation), request.server, request.command);
        if (!applied)
            return failure(applied.error());
        if (!isInVain(request, applied->reply))
            return false;
    }
    return !node.requests.empty();
}

/// Records the use of the resource, and the owners of the keys.
Result<void> Transitions::noteForProgram(AppliedEffect &applied, World &world, int speaker, const Effect &effect,
                                         CommandId command)
{
    const Testbed &testbed = m_model.testbed();
    const SnapshotId from = world.servers[0];
    const ClientIndex client = clientOf(speaker);
    const QByteArray &resource = m_model.subject().key.bytes();
    KeyInfluence influence;
    std::vector<QByteArray> set;
    if (client != noClient) {
        if (!resource.isEmpty()) {
            const auto asked = m_probe.influence(from, speaker, command, resource);
            if (!asked)
                return failure(asked.error());
            influence = *asked;
        }
        for (const QByteArray &key :
             unchangedKeysOfOthers(world, testbed.snapshot(from), testbed.snapshot(effect.after), client)) {
            const auto isSet = m_probe.sets(from, speaker, command, key);
            if (!isSet)
                return failure(isSet.error());
            if (*isSet)
                set.push_back(key);
        }
    }
    const ExternalProgram &program = *m_model.subject().program;
    const Snapshot &before = testbed.snapshot(from);
    const Snapshot &after = testbed.snapshot(effect.after);
    applied.change.touch =
        program.touch(testbed.commands(command), testbed.reply(effect.reply), before, after, influence);
    follow(world, program, before, after, client, set, applied.change);
    return {};
}

/// Advances the time and shortens all remaining lifetimes.
Result<Successor> Transitions::passTime(const State &state, const Move &move)
{
    const bool isToTimer = move.kind == Move::Kind::Timer;
    const auto passing = isToTimer ? passingToTimer(m_model, state) : passingToEnd(m_model, state);
    Q_ASSERT(passing);
    Successor successor {state, false};
    std::vector<Command> ends;
    if (!passing->ending.empty()) {
        Command &command = ends.emplace_back(Command {"DEL"});
        for (const QByteArray &key : passing->ending)
            command << key;
    }
    for (const auto &[key, field] : passing->endingFields)
        ends.push_back({"HDEL", key, field});
    for (const Command &command : ends) {
        const auto applied = carryOut(successor.state.world, noClient, 0, m_model.testbed().number(command));
        if (!applied)
            return failure(applied.error());
        successor.state.world = applied->after;
    }
    World world = m_model.world(successor.state);
    Snapshot after = m_model.testbed().snapshot(world.servers[0]);
    for (KeySnapshotState &key : after.keys)
        key.pass(passing->by);
    if (m_model.testbed().hasClock())
        after.time += passing->by;
    world.servers[0] = m_model.testbed().number(std::move(after));
    successor.state.world = m_model.number(world);
    if (isToTimer)
        successor.state.clockOrCounters += oneWait;
    else if (!endsDuringPauses(m_model, state, *passing))
        successor.state.clockOrCounters += onePass;
    if (auto passed = passForClients(successor.state, passing->by, move); !passed)
        return failure(std::move(passed.error()));
    return successor;
}

/// Advances the clients by the time that has passed. state: the time has already passed for the server.
Result<void> Transitions::passForClients(State &state, std::chrono::milliseconds by, const Move &move)
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
        const NodeId to =
            m_model.feelsTime(state, client, move.index) ? graph.afterPass(position, by) : graph.beginningAt(now);
        if (auto trouble = program.trouble())
            return failure(*std::move(trouble));
        state.world = moved(state.world, client, graph[position], graph[to]);
        hangUp(state, client, graph[to]);
        state.nodes[at(client)] = graph[to].wait == Attempt::Wait::Nothing ? ClientGraph::finished : to;
    }
    return {};
}

/// Lets the next client begin at the current time.
Result<Successor> Transitions::begin(const State &state, const Move &move)
{
    Successor successor {state, false};
    const auto now = m_model.snapshot(state, 0).time;
    successor.state.nodes[at(move.client)] = m_model.graph(move.client).beginningAt(now);
    if (auto trouble = m_model.subject().program->trouble())
        return failure(*std::move(trouble));
    return successor;
}

/// Removes the subscriber connections that the client has closed.
void Transitions::hangUp(State &state, ClientIndex client, const GraphNode &node)
{
    const auto &connections = m_model.snapshot(state, 0).connections;
    if (std::ranges::none_of(connections, &ConnectionState::listens))
        return;
    Snapshot snapshot = m_model.snapshot(state, 0);
    snapshot.hangUp(client, node.listening);
    state.world = withServer(state.world, 0, std::move(snapshot));
}

} // namespace latchkey::races

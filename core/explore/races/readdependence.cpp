#include "core/explore/races/readdependence.h"

#include "core/explore/races/transitions.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

ReadDependence::ReadDependence(Model &model, CommandEffects &effects)
    : m_model(model)
    , m_effects(effects)
{}

Result<void> ReadDependence::update(ResourceAccess &access, const State &state, ClientIndex client,
                                    const ClientStep &step)
{
    if (access.overwrites && access.returnsOverwritten) {
        const auto depends = dependsOnEarlierRead(state, client, step);
        if (!depends)
            return failure(depends.error());
        access.overwrites = *depends;
    } else if (access.overwrites && m_model.rule().comparesReads()) {
        const auto ignores = ignoresLastRead(state, client, step);
        if (!ignores)
            return failure(ignores.error());
        access.ignoresLastRead = *ignores;
    }
    return {};
}

/// Returns the client's reads of the resource on its way to the node since its last write, the latest first. Before its
/// own former write, the client has read another state.
std::vector<ReadDependence::EarlierRead> ReadDependence::readsBefore(const State &state, ClientIndex client,
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
Result<std::optional<bool>> ReadDependence::sendsAfter(ClientIndex client, const ClientStep &step,
                                                       const EarlierRead &read, ReplyId reply)
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
Result<std::optional<bool>> ReadDependence::sendsAfterCurrent(const State &state, ClientIndex client,
                                                              const ClientStep &step, const EarlierRead &read)
{
    const GraphNode::Pending &request = read.answer.request;
    const auto now = m_effects.execute(state.serversState, conversationIdOf(client, request.conversation),
                                       request.server, request.command);
    if (!now)
        return failure(now.error());
    return now->reply == read.answer.reply ? Result<std::optional<bool>>(true)
                                           : sendsAfter(client, step, read, now->reply);
}

/// Returns whether the client would send another command if one of its reads of the resource had returned the current
/// value. If not, the step has the same effect as after fresh reads. If the client would send another command before,
/// this is known only for its last read. True if no reading command is recognizable.
Result<bool> ReadDependence::dependsOnEarlierRead(const State &state, ClientIndex client, const ClientStep &step)
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
Result<bool> ReadDependence::ignoresLastRead(const State &state, ClientIndex client, const ClientStep &step)
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

} // namespace latchkey::races

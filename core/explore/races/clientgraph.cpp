#include "core/explore/races/clientgraph.h"

#include "core/explore/schedules/waiting.h"

#include <algorithm>
#include <ranges>

namespace latchkey::races {

using resp::Reply;
using std::chrono::milliseconds;
using std::chrono::seconds;

ClientGraph::ClientGraph(RunFactory factory, ClientConditions conditions, EffectCache &effectCache)
    : m_factory(std::move(factory))
    , m_conditions(conditions)
    , m_effectCache(effectCache)
    , m_nodes(3)
    , m_origins(3)
{
    const Attempt attempt(m_factory, m_conditions);
    m_nodes[finished].status.stage = Stage::Finished;
    m_nodes[crashed].status.stage = Stage::Finished;
    m_nodes[finished].withoutTime = finished;
    m_nodes[crashed].withoutTime = crashed;
    const GraphNode &start = m_nodes[root] = nodeFor(attempt);
    Q_ASSERT(start.wait != Attempt::Wait::Fork && start.wait != Attempt::Wait::Nothing);
}

NodeId ClientGraph::afterReply(NodeId node, int index, ReplyId reply)
{
    return afterAnswer(node, {Event::Kind::Reply, static_cast<quint8>(index), reply});
}

NodeId ClientGraph::afterFailure(NodeId node, int index, base::ErrorKind kind)
{
    return afterAnswer(node, {Event::Kind::Failure, static_cast<quint8>(index), static_cast<quint64>(kind)});
}

NodeId ClientGraph::afterAnswer(NodeId node, const Event &answer)
{
    // The client receives all answers of a batch together, so their order of arrival does not matter. Answers are
    // sorted by index, so that every order leads to the same node.
    std::vector<Event> later;
    for (int left = m_nodes[node].answered; left > 0 && m_origins[node].event.index > answer.index; --left) {
        later.push_back(m_origins[node].event);
        node = m_origins[node].parent;
    }
    node = child(node, answer);
    for (const Event &event : std::views::reverse(later))
        node = child(node, event);
    return node;
}

NodeId ClientGraph::afterLoss(NodeId node, int index, ReplyId reply)
{
    return child(node, {Event::Kind::Loss, static_cast<quint8>(index), reply});
}

NodeId ClientGraph::afterMessage(NodeId node, int conversation, ReplyId message)
{
    return child(node, {Event::Kind::Message, static_cast<quint8>(conversation), message});
}

NodeId ClientGraph::afterClock(NodeId node, seconds passed)
{
    return child(node, {Event::Kind::Clock, 0, static_cast<quint64>(passed.count())});
}

NodeId ClientGraph::afterTimeAdvance(NodeId node, milliseconds time)
{
    return child(node, {Event::Kind::TimeAdvance, 0, static_cast<quint64>(time.count())});
}

NodeId ClientGraph::beginningAt(milliseconds time)
{
    return child(root, {Event::Kind::Begin, 0, static_cast<quint64>(time.count())});
}

NodeId ClientGraph::afterRest(NodeId node)
{
    return child(node, {Event::Kind::Rest, 0, 0});
}

NodeId ClientGraph::afterWrite(NodeId node)
{
    return child(node, {Event::Kind::Write, 0, 0});
}

std::optional<ClientGraph::Answer> ClientGraph::answerBefore(NodeId node) const
{
    const auto &[parent, event] = m_origins[node];
    if (event.kind != Event::Kind::Reply)
        return std::nullopt;
    const auto &asked = m_nodes[parent].requests;
    const auto request = std::ranges::find(asked, int(event.index), &GraphNode::Pending::index);
    return request == asked.end() ? std::nullopt : std::optional(Answer {*request, static_cast<ReplyId>(event.value)});
}

std::optional<NodeId> ClientGraph::replay(NodeId node, NodeId before)
{
    const auto [parent, event] = m_origins[node];
    if (event.kind == Event::Kind::Reply || event.kind == Event::Kind::Loss) {
        const auto pending = [&event](const GraphNode &at) {
            return std::ranges::find(at.requests, int(event.index), &GraphNode::Pending::index);
        };
        const auto asked = pending(m_nodes[parent]);
        const auto now = pending(m_nodes[before]);
        if (now == m_nodes[before].requests.end() || asked == m_nodes[parent].requests.end()
            || !now->isSameRequest(*asked))
            return std::nullopt;
    }
    return child(before, event);
}

std::optional<NodeId> ClientGraph::replayPermuted(NodeId node, NodeId before, const std::function<int(int)> &imageOf)
{
    const Origin origin = m_origins[node];
    if (origin.event.kind != Event::Kind::Reply && origin.event.kind != Event::Kind::Failure)
        return child(before, origin.event);
    const auto &asked = m_nodes[origin.parent].requests;
    const auto request = std::ranges::find(asked, int(origin.event.index), &GraphNode::Pending::index);
    if (request == asked.end())
        return std::nullopt;
    const auto &others = m_nodes[before].requests;
    const auto other = std::ranges::find(others, imageOf(request->server), &GraphNode::Pending::server);
    if (other == others.end())
        return std::nullopt;
    return afterAnswer(before, {origin.event.kind, static_cast<quint8>(other->index), origin.event.value});
}

const std::vector<ReplyId> &ClientGraph::answersTo(CommandId command)
{
    auto known = m_answers.find(command);
    if (known != m_answers.end())
        return *known;
    const resp::Command &asked = m_effectCache.command(command);
    resp::Replies possible;
    if (asked.name() == "SET")
        possible = {Reply::status("OK"), Reply::nil()};
    else if (asked.callsScript()) // compare-and-delete and compare-and-extend
        possible = {Reply::integer(1), Reply::integer(0), Reply::integer(-1)};
    std::vector<ReplyId> answers;
    for (const Reply &reply : possible)
        answers.push_back(m_effectCache.number(reply));
    return *m_answers.insert(command, answers);
}

bool ClientGraph::hasOnlyExpectedAnswers(NodeId node)
{
    for (; node != root; node = m_origins[node].parent) {
        const Event &event = m_origins[node].event;
        if (event.kind != Event::Kind::Reply)
            continue;
        const auto &asked = m_nodes[m_origins[node].parent].requests;
        const auto request = std::ranges::find(asked, int(event.index), &GraphNode::Pending::index);
        const auto &answers = answersTo(request->command);
        if (!answers.empty() && std::ranges::find(answers, event.value) == answers.end())
            return false;
    }
    return true;
}

NodeId ClientGraph::child(NodeId node, Event event)
{
    const Origin origin {node, event};
    if (const auto known = m_children.find(origin); known != m_children.end())
        return known->second;
    Attempt attempt = attemptAt(node);
    apply(attempt, event);
    return add(origin, attempt);
}

NodeId ClientGraph::add(const Origin &origin, const Attempt &attempt)
{
    GraphNode node = nodeFor(attempt);
    const auto localState = attempt.localState();
    if (const auto equal = localState ? remembered(m_remembered, node, *localState) : std::nullopt) {
        m_children.emplace(origin, *equal);
        return *equal;
    }
    const auto id = static_cast<NodeId>(m_nodes.size());
    m_children.emplace(origin, id);
    m_origins.push_back(origin);
    m_nodes.push_back(std::move(node));
    m_nodes[id].withoutTime = id;
    if (const auto untimed = attempt.localStateWithoutTime()) {
        m_nodes[id].withoutTime = remembered(m_rememberedUntimed, m_nodes[id], *untimed).value_or(id);
        if (m_nodes[id].withoutTime == id)
            m_rememberedUntimed.insert(*untimed, id);
    }
    m_nodes[id].hasWon = hasWon(id);
    const bool isTimes = origin.event.kind == Event::Kind::TimeAdvance || origin.event.kind == Event::Kind::Begin;
    m_nodes[id].hasBegun = m_nodes[id].hasBegun || !isTimes || m_nodes[origin.parent].hasBegun;
    if (localState)
        m_remembered.insert(*localState, id);
    for (const Branch branch : attempt.branches()) {
        const NodeId taken = child(id, {Event::Kind::Take, 0, static_cast<quint64>(branch)});
        m_nodes[id].branches.push_back(taken);
    }
    return id;
}

/// Finds the node of this memory with the same status.
std::optional<NodeId> ClientGraph::remembered(const QMultiHash<QByteArray, NodeId> &nodes, const GraphNode &node,
                                              const QByteArray &localState) const
{
    for (auto [known, end] = nodes.equal_range(localState); known != end; ++known) {
        const GraphNode &other = m_nodes[*known];
        if (other.wait == node.wait && other.status == node.status)
            return *known;
    }
    return std::nullopt;
}

GraphNode ClientGraph::nodeFor(const Attempt &attempt) const
{
    GraphNode node;
    node.wait = attempt.wait();
    node.status = attempt.clientStatus();
    node.firstReading = attempt.firstReading();
    node.lastReading = attempt.lastReading();
    node.answered = attempt.answered();
    for (const PendingRequest &request : attempt.requests()) {
        GraphNode::Pending &pending = node.requests.emplace_back();
        pending.index = request.index;
        pending.server = request.server;
        pending.command = m_effectCache.number(request.commands);
        pending.conversation = request.conversation;
        if (const auto waiting = schedules::waitingOf(request.commands)) {
            pending.waits = true;
            if (waiting->timeout)
                pending.timeout = *waiting->timeout - request.waited;
        }
    }
    node.timer = attempt.timer();
    node.listening = attempt.listening();
    node.isAtCommandLimit = attempt.isAtCommandLimit();
    node.hasBegun = node.wait == Attempt::Wait::Commands && node.requests.empty();
    return node;
}

/// Looks ahead: after the reply that grants the lock, a recipe may read the clock once more.
bool ClientGraph::hasWon(NodeId id) const
{
    const GraphNode &node = m_nodes[id];
    if (node.status.stage != Stage::Acquiring || node.wait != Attempt::Wait::Clock)
        return node.status.isInside;
    Attempt ahead = attemptAt(id);
    while (ahead.wait() == Attempt::Wait::Clock)
        ahead.readClock(seconds(0));
    return ahead.clientStatus().isInside;
}

Attempt ClientGraph::attemptAt(NodeId node) const
{
    std::vector<const Event *> events;
    for (; node != root; node = m_origins[node].parent)
        events.push_back(&m_origins[node].event);
    Attempt attempt(m_factory, m_conditions);
    for (const Event *event : std::views::reverse(events))
        apply(attempt, *event);
    return attempt;
}

void ClientGraph::apply(Attempt &attempt, const Event &event) const
{
    switch (event.kind) {
    case Event::Kind::Reply:
        attempt.answer(event.index, m_effectCache.reply(static_cast<ReplyId>(event.value)));
        break;
    case Event::Kind::Failure:
        attempt.fail(event.index, static_cast<base::ErrorKind>(event.value));
        break;
    case Event::Kind::Loss:
        attempt.lose(event.index, m_effectCache.reply(static_cast<ReplyId>(event.value)));
        break;
    case Event::Kind::Message:
        attempt.receive(event.index, m_effectCache.reply(static_cast<ReplyId>(event.value)));
        break;
    case Event::Kind::Clock:
        attempt.readClock(seconds(event.value));
        break;
    case Event::Kind::Rest:
        attempt.rest();
        break;
    case Event::Kind::Write:
        attempt.write();
        break;
    case Event::Kind::Take:
        attempt.take(static_cast<Branch>(event.value));
        break;
    case Event::Kind::TimeAdvance:
        attempt.advanceClock(milliseconds(event.value));
        break;
    case Event::Kind::Begin:
        attempt.beginAt(milliseconds(event.value));
        break;
    }
}

} // namespace latchkey::races

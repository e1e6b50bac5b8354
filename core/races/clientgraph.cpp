#include "core/races/clientgraph.h"

#include <ranges>

namespace latchkey::races {

using std::chrono::seconds;

ClientGraph::ClientGraph(RunFactory factory, ClientConditions conditions, Testbed &testbed)
    : m_factory(std::move(factory))
    , m_conditions(conditions)
    , m_testbed(testbed)
    , m_nodes(3)
    , m_origins(3)
{
    const Attempt attempt(m_factory, m_conditions);
    m_nodes[finished].situation.stage = Stage::Finished;
    m_nodes[crashed].situation.stage = Stage::Finished;
    Node &start = m_nodes[root];
    start.wait = attempt.wait();
    start.situation = attempt.situation();
    start.lastReading = attempt.lastReading();
    for (const PendingAsk &ask : attempt.requests())
        start.asks.push_back({ask.index, ask.server, m_testbed.number(ask.command)});
    Q_ASSERT(start.wait != Attempt::Wait::Fork && start.wait != Attempt::Wait::Nothing);
}

NodeId ClientGraph::afterReply(NodeId node, int index, ReplyId reply)
{
    // The client is told a batch's answers all at once, so it makes no difference to it which came first: they are
    // put in their order, and all ways to the same answers lead to one node.
    std::vector<Event> later;
    for (int left = m_nodes[node].answered; left > 0 && m_origins[node].event.index > index; --left) {
        later.push_back(m_origins[node].event);
        node = m_origins[node].parent;
    }
    node = child(node, {Event::Kind::Reply, static_cast<quint8>(index), reply});
    for (const Event &event : std::views::reverse(later))
        node = child(node, event);
    return node;
}

NodeId ClientGraph::afterClock(NodeId node, seconds passed)
{
    return child(node, {Event::Kind::Clock, 0, static_cast<quint32>(passed.count())});
}

NodeId ClientGraph::afterRest(NodeId node)
{
    return child(node, {Event::Kind::Rest, 0, 0});
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
    const auto id = static_cast<NodeId>(m_nodes.size());
    m_children.emplace(origin, id);
    m_origins.push_back(origin);
    Node &node = m_nodes.emplace_back();
    node.wait = attempt.wait();
    node.situation = attempt.situation();
    node.lastReading = attempt.lastReading();
    node.answered = attempt.answered();
    for (const PendingAsk &ask : attempt.requests())
        node.asks.push_back({ask.index, ask.server, m_testbed.number(ask.command)});
    if (node.wait != Attempt::Wait::Fork)
        return id;
    for (const Way way : attempt.ways()) {
        const NodeId taken = child(id, {Event::Kind::Take, 0, static_cast<quint32>(way)});
        m_nodes[id].ways.push_back(taken);
    }
    return id;
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
        attempt.answer(event.index, m_testbed.reply(event.value));
        break;
    case Event::Kind::Clock:
        attempt.readClock(seconds(event.value));
        break;
    case Event::Kind::Rest:
        attempt.rest();
        break;
    case Event::Kind::Take:
        attempt.take(static_cast<Way>(event.value));
        break;
    }
}

} // namespace latchkey::races

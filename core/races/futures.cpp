#include "core/races/futures.h"

#include <QDataStream>
#include <QIODevice>

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// All that others can see of it, and what decides about the promises.
void describe(const Situation &situation, QDataStream &text)
{
    text << static_cast<quint8>(situation.stage) << situation.isInside << situation.canWrite << situation.hasFailed
         << situation.sawTornFields << situation.mustRecompute << situation.fencing.has_value()
         << situation.fencing.value_or(0);
}

} // namespace

Futures::Futures(ClientGraph &graph)
    : m_graph(graph)
{}

Result<NodeId> Futures::representative(NodeId node)
{
    if (node == ClientGraph::root || ClientGraph::isOver(node))
        return node;
    if (node >= m_classes.size() || m_classes[node] == unknown) {
        if (!m_graph.isReckonedWith(node))
            return failure(ErrorKind::Protocol,
                           QStringLiteral("a server has given an answer that the race finder had not reckoned with"));
    }
    const Class found = classOf(node);
    if (found >= m_representatives.size())
        m_representatives.resize(std::size_t(found) + 1, unknown);
    if (m_representatives[found] == unknown)
        m_representatives[found] = node;
    return m_representatives[found];
}

Futures::Class Futures::classOf(NodeId node)
{
    if (node < m_classes.size() && m_classes[node] != unknown)
        return m_classes[node];
    const Class found = m_futures.add(futureOf(node));
    if (node >= m_classes.size())
        m_classes.resize(std::size_t(node) * 3 / 2 + 1, unknown);
    return m_classes[node] = found;
}

/// Equal for two points of which everything that follows is equal.
QByteArray Futures::futureOf(NodeId id)
{
    QByteArray future;
    QDataStream text(&future, QIODevice::WriteOnly);
    const Node node = m_graph[id]; // A copy: the graph grows while its future is looked into.
    text << static_cast<quint8>(node.wait) << node.hasWon << qint64(node.firstReading.count())
         << qint64(node.lastReading.count());
    describe(node.situation, text);
    switch (node.wait) {
    case Attempt::Wait::Nothing:
        break;
    case Attempt::Wait::Fork:
        if (const auto memory = m_graph.memoryAt(id))
            text << *memory;
        else
            text << id;
        break;
    case Attempt::Wait::Commands: {
        for (const Node::Pending &request : node.requests)
            text << request.index << request.server << request.command;
        const auto &answers = m_graph.answersTo(node.requests.front().command);
        if (answers.empty())
            text << id; // Nobody knows what comes of it.
        // In which order they come makes no difference, so that the first one's are enough to go through all.
        for (const ReplyId answer : answers)
            text << classOf(m_graph.afterReply(id, node.requests.front().index, answer));
        break;
    }
    case Attempt::Wait::Clock:
    case Attempt::Wait::Rest:
        text << id;
        break;
    }
    return future;
}

} // namespace latchkey::races

#include "core/explore/races/equivalentstates.h"

#include <QDataStream>
#include <QIODevice>

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Writes everything that other clients can observe and everything that decides the promises.
void describe(const ClientStatus &status, QDataStream &text)
{
    text << static_cast<quint8>(status.stage) << status.isInside << status.canWrite << status.hasFailed
         << status.sawTornFields << status.mustRecompute << status.fencing.has_value() << status.fencing.value_or(0);
}

} // namespace

EquivalentStates::EquivalentStates(ClientGraph &graph)
    : m_graph(graph)
{}

Result<NodeId> EquivalentStates::representative(NodeId node)
{
    if (node == ClientGraph::root || ClientGraph::isOver(node))
        return node;
    if (node >= m_classes.size() || m_classes[node] == unknown) {
        if (!m_graph.hasOnlyExpectedAnswers(node))
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

EquivalentStates::Class EquivalentStates::classOf(NodeId node)
{
    if (node < m_classes.size() && m_classes[node] != unknown)
        return m_classes[node];
    const Class found = m_futures.add(futureOf(node));
    if (node >= m_classes.size())
        m_classes.resize(std::size_t(node) * 3 / 2 + 1, unknown);
    return m_classes[node] = found;
}

/// Describes the future of a point. Points with equal descriptions have equal futures.
QByteArray EquivalentStates::futureOf(NodeId id)
{
    QByteArray future;
    QDataStream text(&future, QIODevice::WriteOnly);
    const GraphNode node = m_graph[id]; // A copy: the graph grows during this function.
    text << static_cast<quint8>(node.wait) << node.hasWon << qint64(node.firstReading.count())
         << qint64(node.lastReading.count());
    describe(node.status, text);
    switch (node.wait) {
    case Attempt::Wait::Nothing:
        break;
    case Attempt::Wait::Fork:
        if (const auto localState = m_graph.localStateAt(id))
            text << *localState;
        else
            text << id;
        break;
    case Attempt::Wait::Commands: {
        for (const GraphNode::Pending &request : node.requests)
            text << request.index << request.server << request.command;
        const auto &answers = m_graph.answersTo(node.requests.front().command);
        if (answers.empty())
            text << id; // The possible replies are unknown.
        // The order of the replies does not matter, so it is enough to try the replies to the first request.
        for (const ReplyId answer : answers)
            text << classOf(m_graph.afterReply(id, node.requests.front().index, answer));
        for (const base::ErrorKind kind : {base::ErrorKind::Unreachable, base::ErrorKind::TimedOut}) {
            if (m_graph.answersFail())
                text << classOf(m_graph.afterFailure(id, node.requests.front().index, kind));
        }
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

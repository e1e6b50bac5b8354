#pragma once

#include "core/races/clientgraph.h"

namespace latchkey::races {

/// Which points of one client's attempt have one future, where its recipe asks several servers at once.
///
/// A client is told the answers of a batch together, and few of them make a difference to it: how many servers have
/// granted the lock, not which; and nothing of what they answer when it takes that back. Two points from which the
/// client goes on alike, whatever it is answered from there, are one to everybody else. It is found out by trying: from
/// each point, with every answer that a server can give. What an operation came to in words is told for people and
/// counts for nothing here: a schedule is told from the points themselves. Owned by the Search, one for each client; it
/// adds to the client's graph, which is not owned.
class Futures final
{
public:
    explicit Futures(ClientGraph &graph);
    Q_DISABLE_COPY_MOVE(Futures)

    /// The first point that was met of those with this one's future. Error (Protocol): the way here goes over an answer
    /// that nobody had reckoned with, so that nothing can be said.
    [[nodiscard]] base::Result<NodeId> representative(NodeId node);

private:
    using Class = quint32;
    static constexpr Class unknown = 0xFFFFFFFF;

    [[nodiscard]] Class classOf(NodeId node);
    [[nodiscard]] QByteArray futureOf(NodeId node);

    ClientGraph &m_graph;                  // Not owned.
    std::vector<Class> m_classes;          ///< Of each node.
    Pool<QByteArray> m_futures;            ///< Numbers the classes.
    std::vector<NodeId> m_representatives; ///< Of each class that has been met.
};

} // namespace latchkey::races

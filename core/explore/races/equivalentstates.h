#pragma once

#include "core/explore/races/clientgraph.h"

namespace latchkey::races {

/// Equivalence classes of the points of one client's attempt, if its recipe asks several servers at once.
///
/// Two points are equivalent if the client behaves the same from both for every reply. A client receives the answers of
/// a batch together, and often uses only a summary of them. For example, the number of servers that granted the lock
/// counts, not which servers they are. Equivalence is found by trying every possible server reply from each point. The
/// outcome text of an operation is not compared, because it is only for users; a schedule is narrated from the original
/// points. Owned by the Symmetry, one for each client. It adds nodes to the client's graph, which is not owned.
class EquivalentStates final
{
public:
    explicit EquivalentStates(ClientGraph &graph);
    Q_DISABLE_COPY_MOVE(EquivalentStates)

    /// Returns the first known node that is equivalent to this node. Error (Protocol): the path contains a reply that
    /// the race finder did not expect, so no statement is possible.
    [[nodiscard]] base::Result<NodeId> representative(NodeId node);

private:
    using Class = quint32;
    static constexpr Class unknown = 0xFFFFFFFF;

    [[nodiscard]] Class classOf(NodeId node);
    [[nodiscard]] QByteArray futureOf(NodeId node);

    ClientGraph &m_graph;                  // Not owned.
    std::vector<Class> m_classes;          ///< Class of each node.
    InternTable<QByteArray> m_futures;     ///< Descriptions of futures; the number of each is its class.
    std::vector<NodeId> m_representatives; ///< First node of each known class.
};

} // namespace latchkey::races

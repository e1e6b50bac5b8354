#pragma once

#include "core/explore/races/equivalentstates.h"
#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// A symmetry reduction for recipes that treat all servers equally: states that differ only by a permutation of the
/// servers are explored once.
///
/// The search keeps one state of each such class, the one with the smallest numbers. permuted() finds this state and
/// the permutation that leads to it. In this state, each client is at the representative of all nodes with the same
/// behaviour (see EquivalentStates). Equal treatment is checked during the search. If a client's attempt differs
/// after a permutation of its servers, the search fails with an error. Owned by the Search.
class Symmetry final
{
public:
    /// Index of a permutation of the servers, below permutationCount(); 0 is the identity.
    using Permutation = quint8;

    /// `model`: not owned. Only the identity exists if there is one server or if servers are not treated equally.
    explicit Symmetry(Model &model);
    Q_DISABLE_COPY_MOVE(Symmetry)

    struct PermutedState
    {
        State state;
        Permutation permutation = 0;
    };
    /// Returns the representative of the state. Error (Protocol): the recipe does not treat its servers equally.
    [[nodiscard]] base::Result<PermutedState> permuted(const State &state);

    [[nodiscard]] std::size_t permutationCount() const { return m_permutations.size(); }
    /// Returns the composition of two permutations: `first` is applied first.
    [[nodiscard]] Permutation composed(Permutation first, Permutation second) const;
    /// Maps a server to its position after the permutation; preimageOf() is the inverse.
    [[nodiscard]] int imageOf(int server, Permutation permutation) const
    {
        return m_permutations[permutation][static_cast<std::size_t>(server)];
    }
    [[nodiscard]] int preimageOf(int slot, Permutation permutation) const;

private:
    /// Target position of each server.
    using Mapping = std::array<quint8, maxServers>;
    static constexpr quint32 unknown = 0xFFFFFFFF;

    [[nodiscard]] ServersStateId permutedServers(ServersStateId serversState, Permutation permutation);
    [[nodiscard]] base::Result<NodeId> permutedNode(ClientIndex client, NodeId node, Permutation permutation);

    [[nodiscard]] base::Result<NodeId> representativeOf(ClientIndex client, NodeId node);

    Model &m_model;                                           // Not owned.
    std::vector<std::unique_ptr<EquivalentStates>> m_classes; ///< Equivalence classes of each client.
    std::vector<Mapping> m_permutations;
    std::vector<ServersStateId> m_serversStates;         ///< Image of each state of the servers under each
                                                         ///< permutation.
    std::array<std::vector<NodeId>, maxClients> m_nodes; ///< Image of each node of each client.
};

} // namespace latchkey::races

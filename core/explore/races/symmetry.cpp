#include "core/explore/races/symmetry.h"

#include <algorithm>
#include <numeric>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;

Symmetry::Symmetry(Model &model)
    : m_model(model)
{
    Mapping mapping {};
    std::iota(mapping.begin(), mapping.end(), quint8(0));
    const auto servers = model.subject().areServersSymmetric ? model.subject().servers : 1;
    do
        m_permutations.push_back(mapping);
    while (std::next_permutation(mapping.begin(), mapping.begin() + servers));
    for (ClientIndex client = 0; client < model.subject().clients; ++client)
        m_classes.push_back(std::make_unique<EquivalentStates>(model.graph(client)));
}

Symmetry::Permutation Symmetry::composed(Permutation first, Permutation second) const
{
    Mapping mapping {};
    for (std::size_t server = 0; server < mapping.size(); ++server)
        mapping[server] = m_permutations[second][m_permutations[first][server]];
    return static_cast<Permutation>(std::ranges::find(m_permutations, mapping) - m_permutations.begin());
}

int Symmetry::preimageOf(int slot, Permutation permutation) const
{
    const Mapping &mapping = m_permutations[permutation];
    return static_cast<int>(std::ranges::find(mapping, static_cast<quint8>(slot)) - mapping.begin());
}

Result<Symmetry::PermutedState> Symmetry::permuted(const State &state)
{
    PermutedState least {state, 0};
    for (ClientIndex client = 0; client < m_model.subject().clients; ++client) {
        NodeId &node = least.state.nodes[static_cast<std::size_t>(client)];
        const auto representative = representativeOf(client, node);
        if (!representative)
            return failure(representative.error());
        node = *representative;
    }
    for (std::size_t permutation = 1; permutation < m_permutations.size(); ++permutation) {
        PermutedState other {state, static_cast<Permutation>(permutation)};
        other.state.serversState = permutedServers(state.serversState, other.permutation);
        if (other.state.serversState > least.state.serversState)
            continue; // The server states alone decide the comparison.
        for (std::size_t client = 0; client < other.state.nodes.size(); ++client) {
            const auto index = static_cast<ClientIndex>(client);
            const auto node =
                permutedNode(index, state.nodes[client], other.permutation).and_then([&](NodeId turnedTo) {
                    return representativeOf(index, turnedTo);
                });
            if (!node)
                return failure(node.error());
            other.state.nodes[client] = *node;
        }
        if (std::tie(other.state.serversState, other.state.nodes)
            < std::tie(least.state.serversState, least.state.nodes))
            least = other;
    }
    return least;
}

Result<NodeId> Symmetry::representativeOf(ClientIndex client, NodeId node)
{
    if (client >= m_model.subject().clients)
        return node;
    return m_classes[static_cast<std::size_t>(client)]->representative(node);
}

ServersStateId Symmetry::permutedServers(ServersStateId id, Permutation permutation)
{
    const std::size_t slot = std::size_t(id) * m_permutations.size() + permutation;
    if (slot < m_serversStates.size() && m_serversStates[slot] != unknown)
        return m_serversStates[slot];
    const ServersState serversState = m_model.serversState(id);
    ServersState result = serversState;
    for (std::size_t server = 0; server < serversState.servers.size(); ++server) {
        const std::size_t to = m_permutations[permutation][server];
        result.servers[to] = serversState.servers[server];
        result.holder[to] = serversState.holder[server];
        result.writer[to] = serversState.writer[server];
        result.contributors[to] = serversState.contributors[server];
        result.outages[to] = serversState.outages[server];
        result.partitions[to] = serversState.partitions[server];
    }
    for (FormerServerState &former : result.formerStates)
        former.server = static_cast<qint8>(m_permutations[permutation][toIndex(former.server)]);
    std::ranges::stable_sort(result.formerStates, {}, &FormerServerState::server);
    const ServersStateId found = m_model.number(result);
    if (slot >= m_serversStates.size())
        m_serversStates.resize((slot / m_permutations.size() + 1) * m_permutations.size() * 3 / 2, unknown);
    return m_serversStates[slot] = found;
}

Result<NodeId> Symmetry::permutedNode(ClientIndex client, NodeId id, Permutation permutation)
{
    if (id == ClientGraph::root || ClientGraph::isOver(id))
        return id;
    auto &known = m_nodes[static_cast<std::size_t>(client)];
    const std::size_t slot = std::size_t(id) * m_permutations.size() + permutation;
    if (slot < known.size() && known[slot] != unknown)
        return known[slot];
    ClientGraph &graph = m_model.graph(client);
    const auto before = permutedNode(client, graph.parentOf(id), permutation);
    if (!before)
        return before;
    const auto found = graph.replayPermuted(id, *before, [&](int server) { return imageOf(server, permutation); });
    const bool isAlike = found && graph[*found].wait == graph[id].wait && graph[*found].status == graph[id].status
                      && graph[*found].hasWon == graph[id].hasWon;
    if (!isAlike)
        return failure(
            ErrorKind::Protocol,
            QT_TRANSLATE_NOOP("core", "%1 does not treat all its servers equally, as the race finder assumed"),
            m_model.subject().recipe);
    if (slot >= known.size())
        known.resize((slot / m_permutations.size() + 1) * m_permutations.size() * 3 / 2, unknown);
    return known[slot] = *found;
}

} // namespace latchkey::races

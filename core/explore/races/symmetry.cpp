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
    Places places {};
    std::iota(places.begin(), places.end(), quint8(0));
    const auto servers = model.subject().areServersSymmetric ? model.subject().servers : 1;
    do
        m_permutations.push_back(places);
    while (std::next_permutation(places.begin(), places.begin() + servers));
    for (ClientIndex client = 0; client < model.subject().clients; ++client)
        m_classes.push_back(std::make_unique<EquivalentStates>(model.graph(client)));
}

Symmetry::Permutation Symmetry::joined(Permutation first, Permutation second) const
{
    Places places {};
    for (std::size_t server = 0; server < places.size(); ++server)
        places[server] = m_permutations[second][m_permutations[first][server]];
    return static_cast<Permutation>(std::ranges::find(m_permutations, places) - m_permutations.begin());
}

int Symmetry::serverAt(int place, Permutation turn) const
{
    const Places &places = m_permutations[turn];
    return static_cast<int>(std::ranges::find(places, static_cast<quint8>(place)) - places.begin());
}

Result<Symmetry::PermutedState> Symmetry::permuted(const State &state)
{
    PermutedState least {state, 0};
    for (ClientIndex client = 0; client < m_model.subject().clients; ++client) {
        NodeId &node = least.state.nodes[static_cast<std::size_t>(client)];
        const auto standing = representativeOf(client, node);
        if (!standing)
            return failure(standing.error());
        node = *standing;
    }
    for (std::size_t turn = 1; turn < m_permutations.size(); ++turn) {
        PermutedState other {state, static_cast<Permutation>(turn)};
        other.state.serversState = permutedServers(state.serversState, other.turn);
        if (other.state.serversState > least.state.serversState)
            continue; // The worlds alone decide the comparison.
        for (std::size_t client = 0; client < other.state.nodes.size(); ++client) {
            const auto index = static_cast<ClientIndex>(client);
            const auto node = permutedNode(index, state.nodes[client], other.turn).and_then([&](NodeId turnedTo) {
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

ServersStateId Symmetry::permutedServers(ServersStateId id, Permutation turn)
{
    const std::size_t place = std::size_t(id) * m_permutations.size() + turn;
    if (place < m_serversStates.size() && m_serversStates[place] != unknown)
        return m_serversStates[place];
    const ServersState serversState = m_model.serversState(id);
    ServersState result = serversState;
    for (std::size_t server = 0; server < serversState.servers.size(); ++server) {
        const std::size_t to = m_permutations[turn][server];
        result.servers[to] = serversState.servers[server];
        result.holder[to] = serversState.holder[server];
        result.writer[to] = serversState.writer[server];
        result.contributors[to] = serversState.contributors[server];
        result.outages[to] = serversState.outages[server];
        result.partitions[to] = serversState.partitions[server];
    }
    for (FormerServerState &past : result.past)
        past.server = static_cast<qint8>(m_permutations[turn][at(past.server)]);
    std::ranges::stable_sort(result.past, {}, &FormerServerState::server);
    const ServersStateId found = m_model.number(result);
    if (place >= m_serversStates.size())
        m_serversStates.resize((place / m_permutations.size() + 1) * m_permutations.size() * 3 / 2, unknown);
    return m_serversStates[place] = found;
}

Result<NodeId> Symmetry::permutedNode(ClientIndex client, NodeId id, Permutation turn)
{
    if (id == ClientGraph::root || ClientGraph::isOver(id))
        return id;
    auto &known = m_nodes[static_cast<std::size_t>(client)];
    const std::size_t place = std::size_t(id) * m_permutations.size() + turn;
    if (place < known.size() && known[place] != unknown)
        return known[place];
    ClientGraph &graph = m_model.graph(client);
    const auto before = permutedNode(client, graph.parentOf(id), turn);
    if (!before)
        return before;
    const auto found = graph.replayPermuted(id, *before, [&](int server) { return placeOf(server, turn); });
    const bool isAlike = found && graph[*found].wait == graph[id].wait && graph[*found].status == graph[id].status
                      && graph[*found].hasWon == graph[id].hasWon;
    if (!isAlike)
        return failure(
            ErrorKind::Protocol,
            QT_TRANSLATE_NOOP("core", "%1 does not treat all its servers equally, as the race finder assumed"),
            m_model.subject().recipe);
    if (place >= known.size())
        known.resize((place / m_permutations.size() + 1) * m_permutations.size() * 3 / 2, unknown);
    return known[place] = *found;
}

} // namespace latchkey::races

#pragma once

#include "core/races/futures.h"
#include "core/races/transitions.h"

namespace latchkey::races {

/// The servers of a recipe that treats them all alike: states that differ only in which server is which are one.
///
/// Of the states that come of one another by servers changing places the search keeps only one, the first by its
/// numbers: turned() finds it, and says how the servers were turned for it. In it each client stands at the point that
/// stands for all those with the same future (see Futures). What may differ is checked on the way: a client whose
/// attempt would not go the same with its servers turned is an error, and no answer is given. Owned by the Search.
class Symmetry final
{
public:
    /// Which way the servers are turned, of the ways() that there are; 0 leaves them as they are.
    using Turn = quint8;

    /// model: not owned. Alone where it has one server, or does not treat them alike.
    explicit Symmetry(Model &model);
    Q_DISABLE_COPY_MOVE(Symmetry)

    struct Turned
    {
        State state;
        Turn turn = 0;
    };
    /// Error (Protocol): the recipe does not treat its servers alike.
    [[nodiscard]] base::Result<Turned> turned(const State &state);

    [[nodiscard]] std::size_t ways() const { return m_turns.size(); }
    /// First the one, then the other.
    [[nodiscard]] Turn joined(Turn first, Turn second) const;
    /// Where this turn has put the server, and which server it has put there.
    [[nodiscard]] int placeOf(int server, Turn turn) const { return m_turns[turn][static_cast<std::size_t>(server)]; }
    [[nodiscard]] int serverAt(int place, Turn turn) const;

private:
    /// Where each server goes.
    using Places = std::array<quint8, mostServers>;
    static constexpr quint32 unknown = 0xFFFFFFFF;

    [[nodiscard]] WorldId turnedWorld(WorldId world, Turn turn);
    [[nodiscard]] base::Result<NodeId> turnedNode(ClientIndex client, NodeId node, Turn turn);

    [[nodiscard]] base::Result<NodeId> standIn(ClientIndex client, NodeId node);

    Model &m_model;                                  // Not owned.
    std::vector<std::unique_ptr<Futures>> m_futures; ///< Of each client.
    std::vector<Places> m_turns;
    std::vector<WorldId> m_worlds;                        ///< Each world, turned in every way.
    std::array<std::vector<NodeId>, mostClients> m_nodes; ///< Each node of each client likewise.
};

} // namespace latchkey::races

#pragma once

#include "core/races/state.h"
#include "core/races/subject.h"

namespace latchkey::races {

/// One recipe under the faults of one promise: what its states mean.
///
/// A State is a handful of numbers; the model knows the servers, the clients and the worlds behind them, and answers
/// what can be seen of any state. What is possible next is for possibleMoves() to say, what comes of it for
/// Transitions, and what is wrong at the end for complaintAtEnd().
/// Owned by the Finder for the time of one search. It keeps no path and no list of states, which are the Search's.
class Model final
{
public:
    /// Subject, rule and testbed are not owned. without: of the faults that the rule has. Error: the server cannot be
    /// asked.
    [[nodiscard]] static base::Result<std::unique_ptr<Model>> create(const Subject &subject, const Rule &rule,
                                                                     Testbed &testbed, Without without = {});
    Q_DISABLE_COPY_MOVE(Model)

    [[nodiscard]] const State &start() const { return m_start; }
    /// Sent to every server before the start.
    [[nodiscard]] const resp::Commands &beforehand() const { return m_beforehand; }

    [[nodiscard]] const Subject &subject() const { return m_subject; }
    [[nodiscard]] const Rule &rule() const { return m_rule; }
    /// What may go wrong.
    [[nodiscard]] const Faults &faults() const { return m_faults; }
    [[nodiscard]] Testbed &testbed() { return m_testbed; }
    [[nodiscard]] const Testbed &testbed() const { return m_testbed; }
    [[nodiscard]] ClientGraph &graph(ClientIndex client) { return *m_graphs[static_cast<std::size_t>(client)]; }
    [[nodiscard]] const ClientGraph &graph(ClientIndex client) const
    {
        return *m_graphs[static_cast<std::size_t>(client)];
    }
    [[nodiscard]] WorldId number(const World &world) { return m_worlds.add(world); }
    [[nodiscard]] ClientConditions conditions(ClientIndex client) const;

    [[nodiscard]] const World &world(WorldId id) const { return m_worlds[id]; }
    [[nodiscard]] const World &world(const State &state) const { return m_worlds[state.world]; }
    [[nodiscard]] const Snapshot &snapshot(const State &state, int server) const
    {
        return m_testbed.snapshot(m_worlds[state.world].servers[static_cast<std::size_t>(server)]);
    }
    [[nodiscard]] static NodeId positionOf(const State &state, ClientIndex client)
    {
        return state.nodes[static_cast<std::size_t>(client)];
    }
    [[nodiscard]] const Node &nodeOf(const State &state, ClientIndex client) const
    {
        return graph(client)[positionOf(state, client)];
    }

    /// Whether the client has neither finished nor crashed; nobody is not alive.
    [[nodiscard]] static bool isAlive(const State &state, ClientIndex client)
    {
        return client != nobody && !ClientGraph::isOver(positionOf(state, client));
    }
    /// Whether the client is under way, or over.
    [[nodiscard]] bool hasBegun(const State &state, ClientIndex client) const
    {
        return ClientGraph::isOver(positionOf(state, client)) || nodeOf(state, client).hasBegun;
    }
    /// Whether time goes by for the client as for those under way: also where it waits in the server for what it asks
    /// first, and gives up after some time. begun: of those that have sent nothing, who is taken to be under way, a bit
    /// each.
    [[nodiscard]] bool feelsTime(const State &state, ClientIndex client, int begun) const;
    /// Whether every moment is known for which a program waits: its clock is ours, and it goes by no other.
    [[nodiscard]] bool knowsEveryMoment() const;
    /// Whether every client has finished or crashed.
    [[nodiscard]] bool isOver(const State &state) const;
    /// Whether nobody is under way: every client has finished, crashed or not begun.
    [[nodiscard]] bool isQuiet(const State &state) const;

    /// How far the clocks have to be moved, counted from the start, for all of them to be past the deadline that is
    /// the lock's value; nothing where there is none, or where they are past it.
    [[nodiscard]] std::optional<std::chrono::seconds> passingDeadline(const State &state, int server) const;
    /// How far the clocks have to be moved, counted from the start, for the lease to be over that the client asked for
    /// when it read its clock first, by that clock and whatever others have made of the lock since.
    [[nodiscard]] std::chrono::seconds passingLease(const State &state, ClientIndex client) const;

private:
    Model(const Subject &subject, const Rule &rule, Testbed &testbed, Without without);

    const Subject &m_subject; // Not owned.
    const Rule &m_rule;       // Not owned.
    Faults m_faults;
    Testbed &m_testbed;                                 // Not owned.
    std::vector<std::unique_ptr<ClientGraph>> m_graphs; ///< One per client, and one for the next client.
    Pool<World> m_worlds;
    resp::Commands m_beforehand;
    State m_start;
};

} // namespace latchkey::races

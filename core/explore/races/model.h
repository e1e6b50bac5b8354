#pragma once

#include "core/explore/races/state.h"
#include "core/explore/races/subject.h"

namespace latchkey::races {

/// A subject and the rule to check on it: the state space that is searched, with the meaning of its states.
///
/// A State consists of a few numbers. The model maps these numbers to clients and server states, and answers questions
/// about any state. possibleMoves() finds the next moves, Transitions applies them, and violationAtEnd() checks the
/// final states. Owned by the Finder for the duration of one search. It stores no path and no list of states; the
/// Search does.
class Model final
{
public:
    /// Creates a model. Subject, rule and effect cache are not owned. `excluded`: faults to leave out, although the
    /// rule permits them. `limits`: limits of the server faults. Error: the server cannot be asked.
    [[nodiscard]] static base::Result<std::unique_ptr<Model>> create(const Subject &subject, const Rule &rule,
                                                                     EffectCache &effectCache,
                                                                     ExcludedFaults excluded = {},
                                                                     ServerFaultLimits limits = {});
    Q_DISABLE_COPY_MOVE(Model)

    [[nodiscard]] const State &start() const { return m_start; }
    /// Returns the commands sent to every server before the start.
    [[nodiscard]] const resp::Commands &setupCommands() const { return m_setupCommands; }

    [[nodiscard]] const Subject &subject() const { return m_subject; }
    [[nodiscard]] const Rule &rule() const { return m_rule; }
    /// Returns the faults that may occur.
    [[nodiscard]] const Faults &faults() const { return m_faults; }
    [[nodiscard]] const ServerFaultLimits &serverFaultLimits() const { return m_limits; }
    [[nodiscard]] EffectCache &effectCache() { return m_effectCache; }
    [[nodiscard]] const EffectCache &effectCache() const { return m_effectCache; }
    [[nodiscard]] ClientGraph &graph(ClientIndex client) { return *m_graphs[static_cast<std::size_t>(client)]; }
    [[nodiscard]] const ClientGraph &graph(ClientIndex client) const
    {
        return *m_graphs[static_cast<std::size_t>(client)];
    }
    [[nodiscard]] ServersStateId number(const ServersState &serversState) { return m_serversStates.add(serversState); }
    [[nodiscard]] ClientConditions conditions(ClientIndex client) const;

    [[nodiscard]] const ServersState &serversState(ServersStateId id) const { return m_serversStates[id]; }
    [[nodiscard]] const ServersState &serversState(const State &state) const
    {
        return m_serversStates[state.serversState];
    }
    [[nodiscard]] const Snapshot &snapshot(const State &state, int server) const
    {
        return m_effectCache.snapshot(m_serversStates[state.serversState].servers[static_cast<std::size_t>(server)]);
    }
    [[nodiscard]] static NodeId positionOf(const State &state, ClientIndex client)
    {
        return state.nodes[static_cast<std::size_t>(client)];
    }
    [[nodiscard]] const GraphNode &nodeOf(const State &state, ClientIndex client) const
    {
        return graph(client)[positionOf(state, client)];
    }

    /// A conversation of a client with one server.
    struct Conversation
    {
        int server = 0;
        int number = 0;
    };
    /// Returns the first of the client's conversations with a pending message; absent: no pending message.
    [[nodiscard]] std::optional<Conversation> conversationWithMessage(const State &state, ClientIndex client) const;
    /// Returns the server of a conversation with a pending message.
    [[nodiscard]] int serverWithMessage(const State &state, int conversationId) const;

    /// Returns whether the client has neither finished nor crashed; false for `noClient`.
    [[nodiscard]] static bool isAlive(const State &state, ClientIndex client)
    {
        return client != noClient && !ClientGraph::isOver(positionOf(state, client));
    }
    /// Returns whether the client is under way or over.
    [[nodiscard]] bool hasBegun(const State &state, ClientIndex client) const
    {
        return ClientGraph::isOver(positionOf(state, client)) || nodeOf(state, client).hasBegun;
    }
    /// Returns whether time passes for the client. True for clients under way. Also true for a client whose first
    /// command blocks with a timeout, unless the program sends times. `begun`: clients without a sent command that
    /// count as under way, one bit each; see Move::index.
    [[nodiscard]] bool advancesTimeOf(const State &state, ClientIndex client, int begun) const;
    /// Returns the living clients for which time passes, one bit each. `begun`: see advancesTimeOf().
    [[nodiscard]] quint8 clientsUnderWay(const State &state, int begun) const;
    /// Returns whether all moments for which the clients wait are known: they are programs on the virtual clock and use
    /// no other clock.
    [[nodiscard]] bool areAllTimersKnown() const;
    /// Returns whether every client has finished or crashed.
    [[nodiscard]] bool isOver(const State &state) const;
    /// Returns whether no client is under way: every client has finished, crashed or not begun.
    [[nodiscard]] bool isQuiet(const State &state) const;

    /// Returns the time since the start by which all clocks must be advanced to pass the deadline in the lock's value.
    /// Absent if there is no deadline, or if all clocks are past it.
    [[nodiscard]] std::optional<std::chrono::seconds> clockAdvanceForDeadline(const State &state, int server) const;
    /// Returns the time since the start by which the clocks must be advanced so that the client's lease is over. The
    /// lease counts from the client's first clock reading, by the client's clock. Later changes by other clients have
    /// no effect on it.
    [[nodiscard]] std::chrono::seconds clockAdvanceForLease(const State &state, ClientIndex client) const;

private:
    Model(const Subject &subject, const Rule &rule, EffectCache &effectCache, ExcludedFaults excluded,
          ServerFaultLimits limits);

    const Subject &m_subject; // Not owned.
    const Rule &m_rule;       // Not owned.
    Faults m_faults;
    const ServerFaultLimits m_limits;
    EffectCache &m_effectCache;                         // Not owned.
    std::vector<std::unique_ptr<ClientGraph>> m_graphs; ///< One per client, and one for the next client.
    InternTable<ServersState> m_serversStates;
    resp::Commands m_setupCommands;
    State m_start;
};

} // namespace latchkey::races

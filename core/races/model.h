#pragma once

#include "core/races/clientgraph.h"
#include "core/races/rules.h"
#include "core/races/schedule.h"
#include "core/races/subject.h"

namespace latchkey::races {

/// All servers at one moment, and whose the lock on each is.
struct World
{
    std::array<SnapshotId, mostServers> servers {};
    /// Who holds the lock on each server: whose acquire made it, until it goes; nobody where there is none.
    std::array<qint8, mostServers> holder {nobody, nobody, nobody, nobody, nobody};
    /// Who last gave it its value or its lifetime.
    std::array<qint8, mostServers> writer {nobody, nobody, nobody, nobody, nobody};
    /// Who has had a hand in the lock that stands on each server, a bit for each client.
    std::array<quint8, mostServers> stakes {};

    friend bool operator==(const World &, const World &) = default;
    friend size_t qHash(const World &world, size_t seed = 0)
    {
        seed = qHashRange(world.servers.begin(), world.servers.end(), seed);
        seed = qHashRange(world.holder.begin(), world.holder.end(), seed);
        seed = qHashRange(world.writer.begin(), world.writer.end(), seed);
        return qHashRange(world.stakes.begin(), world.stakes.end(), seed);
    }
};

using WorldId = Pool<World>::Id;

/// Everything that the future of an exploration depends on. Two schedules that lead to equal states are one from there.
struct State
{
    WorldId world = 0;
    std::array<NodeId, mostClients> nodes {};
    Ghost ghost = 0;           ///< What the rule has to remember.
    quint32 secondsPassed = 0; ///< How far all clocks have been moved.

    friend bool operator==(const State &, const State &) = default;
};

/// What a move led to.
struct Successor
{
    State state;
    bool isBroken = false;
};

/// A client's own part in a move: from where to where in its attempt, and what it sent.
struct ClientStep
{
    NodeId from = ClientGraph::root; ///< After it has taken its way, where it stood at a fork.
    NodeId to = ClientGraph::root;
    int server = 0;
    CommandId command = 0; ///< Of a command, with its reply.
    ReplyId reply = 0;
};

/// The moves of clients and faults from any state, for one recipe and one promise.
///
/// Knows the rules of the game: whose turn is possible, which faults the promise allows, who owns a lock. It keeps no
/// path and no list of states, which are the Search's.
/// Owned by the Finder for the time of one search.
class Model final
{
public:
    /// Subject, rule and testbed are not owned. Error: the server cannot be asked.
    [[nodiscard]] static base::Result<std::unique_ptr<Model>> create(const Subject &subject, const Rule &rule,
                                                                     Testbed &testbed);
    Q_DISABLE_COPY_MOVE(Model)

    [[nodiscard]] const State &start() const { return m_start; }
    /// Every move that is possible; none once every client has finished or crashed.
    void moves(const State &state, std::vector<Move> &moves) const;
    [[nodiscard]] base::Result<Successor> apply(const State &state, const Move &move);

    /// Whether every client has finished or crashed.
    [[nodiscard]] bool isOver(const State &state) const;
    /// Whether nobody is under way: every client has finished, crashed or not begun.
    [[nodiscard]] bool isQuiet(const State &state) const;
    /// What the rule finds wrong where nobody is under way: the moves that show it, such as the next client's vain
    /// attempt; nothing where all is well.
    [[nodiscard]] base::Result<std::optional<Schedule>> complaintAtEnd(const State &end);

    /// The move must be a client's, and no crash.
    [[nodiscard]] base::Result<ClientStep> clientStep(const State &state, const Move &move);
    /// Sent to every server before the start.
    [[nodiscard]] const resp::Commands &beforehand() const { return m_beforehand; }

    [[nodiscard]] const Subject &subject() const { return m_subject; }
    [[nodiscard]] const Rule &rule() const { return m_rule; }
    [[nodiscard]] const Testbed &testbed() const { return m_testbed; }
    [[nodiscard]] const ClientGraph &graph(ClientIndex client) const
    {
        return *m_graphs[static_cast<std::size_t>(client)];
    }
    [[nodiscard]] const Snapshot &snapshot(const State &state, int server) const
    {
        return m_testbed.snapshot(m_worlds[state.world].servers[static_cast<std::size_t>(server)]);
    }
    [[nodiscard]] const Node &nodeOf(const State &state, ClientIndex client) const
    {
        return (*m_graphs[static_cast<std::size_t>(client)])[state.nodes[static_cast<std::size_t>(client)]];
    }
    [[nodiscard]] ClientConditions conditions(ClientIndex client) const;

private:
    /// What a command or a lapse did to the servers.
    struct Deed
    {
        WorldId after = 0;
        ReplyId reply = 0;
        LockChange change;
    };
    struct DeedKey
    {
        WorldId world;
        ClientIndex client;
        int server;
        CommandId command;
        friend bool operator==(const DeedKey &, const DeedKey &) = default;
    };
    struct DeedHash
    {
        std::size_t operator()(const DeedKey &key) const
        {
            return qHashMulti(0, key.world, key.client, key.server, key.command);
        }
    };

    Model(const Subject &subject, const Rule &rule, Testbed &testbed);

    struct TakenStep
    {
        ClientStep step;
        Deed deed; ///< Of a command.
    };

    [[nodiscard]] base::Result<TakenStep> take(const State &state, const Move &move);
    [[nodiscard]] base::Result<Deed> carryOut(WorldId world, ClientIndex client, int server, CommandId command);
    [[nodiscard]] NodeId pointOf(const State &state, const Move &move) const;
    [[nodiscard]] base::Result<Successor> stepClient(const State &state, const Move &move);
    [[nodiscard]] Successor crash(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> lapse(const State &state, const Move &move);
    [[nodiscard]] base::Result<Schedule> lapseAll(State &state);
    [[nodiscard]] base::Result<std::optional<Schedule>> nextClientsVainAttempt(const State &end);
    void addLapses(const State &state, std::vector<Move> &moves) const;
    [[nodiscard]] bool mayLapse(const State &state, int server, const KeyState &key) const;
    [[nodiscard]] bool isAlive(const State &state, ClientIndex client) const;
    [[nodiscard]] std::optional<std::chrono::seconds> passingDeadline(const State &state, int server) const;
    /// Makes the client that has just come to hold the lock its holder where it has written it last.
    [[nodiscard]] WorldId claimed(WorldId world, ClientIndex client);

    const Subject &m_subject;                           // Not owned.
    const Rule &m_rule;                                 // Not owned.
    Testbed &m_testbed;                                 // Not owned.
    std::vector<std::unique_ptr<ClientGraph>> m_graphs; ///< One per client, and one for the next client.
    Pool<World> m_worlds;
    std::unordered_map<DeedKey, Deed, DeedHash> m_deeds;
    resp::Commands m_beforehand;
    State m_start;
};

} // namespace latchkey::races

#pragma once

#include "core/races/model.h"

#include <unordered_map>

namespace latchkey::races {

/// What a move led to.
struct Successor
{
    State state;
    bool isBroken = false;  ///< The promise, by this very move.
    bool isWaiting = false; ///< Nothing has come of it: the client waits in the server for what is not there.
};

/// A client's own part in a move: from where to where in its attempt, and what it sent.
struct ClientStep
{
    NodeId from = ClientGraph::root; ///< After it has taken its way, where it stood at a fork.
    NodeId to = ClientGraph::root;
    int server = 0;
    CommandId command = 0; ///< Of a command, with its reply.
    ReplyId reply = 0;
    bool isWaiting = false; ///< For anything else than that reply, where it stands.
};

/// What comes of a move: the servers, the clients and the owners of the locks after it, and what the rule says to it.
///
/// Does any move that it is told, possible or not. Remembers what each command did in each world.
/// Owned by the code that explores, with the model, which it adds to.
class Transitions final
{
public:
    /// model: not owned.
    explicit Transitions(Model &model);
    Q_DISABLE_COPY_MOVE(Transitions)

    [[nodiscard]] Model &model() { return m_model; }
    [[nodiscard]] const Model &model() const { return m_model; }

    /// Error: the server cannot be asked.
    [[nodiscard]] base::Result<Successor> apply(const State &state, const Move &move);
    /// The move must be a client's, and no crash. Errors as apply().
    [[nodiscard]] base::Result<ClientStep> clientStep(const State &state, const Move &move);

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
        int speaker;
        int server;
        CommandId command;
        friend bool operator==(const DeedKey &, const DeedKey &) = default;
    };
    struct DeedHash
    {
        std::size_t operator()(const DeedKey &key) const
        {
            return qHashMulti(0, key.world, key.speaker, key.server, key.command);
        }
    };
    struct TakenStep
    {
        ClientStep step;
        Deed deed; ///< Of a command.
    };

    [[nodiscard]] base::Result<TakenStep> take(const State &state, const Move &move);
    [[nodiscard]] base::Result<Deed> carryOut(WorldId world, int speaker, int server, CommandId command);
    [[nodiscard]] WorldId withServer(WorldId world, int server, Snapshot snapshot);
    void hangUp(State &state, ClientIndex client, const Node &node);
    [[nodiscard]] bool isInVain(const Node::Pending &request, ReplyId reply) const;
    [[nodiscard]] base::Result<bool> onlyWaits(WorldId world, ClientIndex client, const Node &node);
    void note(Deed &deed, World &world, int server, ClientIndex client, const Effect &effect, CommandId command) const;
    [[nodiscard]] base::Result<Successor> stepClient(const State &state, const Move &move);
    [[nodiscard]] Successor crash(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> lapse(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> begin(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> passTime(const State &state, const Move &move);
    [[nodiscard]] base::Result<void> passForClients(State &state, std::chrono::milliseconds by, const Move &move);
    [[nodiscard]] WorldId moved(WorldId world, ClientIndex client, const Node &from, const Node &to);
    [[nodiscard]] WorldId claimed(WorldId world, ClientIndex client);

    Model &m_model; // Not owned.
    std::unordered_map<DeedKey, Deed, DeedHash> m_deeds;
};

} // namespace latchkey::races

#pragma once

#include "core/explore/races/readdependence.h"

namespace latchkey::races {

/// Result of a move.
struct Successor
{
    State state;
    bool isBroken = false;  ///< Whether this move breaks the promise.
    bool isWaiting = false; ///< Whether the move has no effect, because the command blocks in the server.
};

/// A client's part of a move: its start point, its end point and its command.
struct ClientStep
{
    NodeId from = ClientGraph::root; ///< Start point; after the choice of a branch, at a fork.
    NodeId to = ClientGraph::root;
    int server = 0;
    CommandId command = 0; ///< Command sent, with its reply.
    ReplyId reply = 0;
    bool isWaiting = false;     ///< Whether the reply means that the command blocks and the client stays where it is.
    base::ErrorKind failure {}; ///< Connection error, if the command does not reach the server.
};

/// The transition function of a model: it computes the state after a move and whether the rule is broken.
///
/// Does not check whether a move is possible: see possibleMoves(). Owned by the code that explores. The model is not
/// owned; transitions add nodes and server states to it.
class Transitions final
{
public:
    /// `model`: not owned.
    explicit Transitions(Model &model);
    Q_DISABLE_COPY_MOVE(Transitions)

    [[nodiscard]] Model &model() { return m_model; }
    [[nodiscard]] const Model &model() const { return m_model; }

    /// Applies the move to the state. Error: the server cannot be asked.
    [[nodiscard]] base::Result<Successor> apply(const State &state, const Move &move);
    /// Returns the client's part of the move. The move must be a step of a client; Crash, Begin and moves without a
    /// client are not allowed. Errors as apply().
    [[nodiscard]] base::Result<ClientStep> clientStep(const State &state, const Move &move);

private:
    struct TakenStep
    {
        ClientStep step;
        AppliedEffect applied; ///< Effect of the command, if any.
    };

    [[nodiscard]] base::Result<TakenStep> take(const State &state, const Move &move);
    void takeMessage(TakenStep &taken, const State &state, const Move &move);
    [[nodiscard]] ServersStateId afterReaching(ServersStateId serversState, const Move &move, int server);
    [[nodiscard]] ServersStateId withServer(ServersStateId serversState, int server, Snapshot snapshot);
    void closeListening(State &state, ClientIndex client, const GraphNode &node);
    [[nodiscard]] bool isTimeoutReply(const GraphNode::Pending &request, ReplyId reply) const;
    [[nodiscard]] base::Result<bool> onlyWaits(ServersStateId serversState, ClientIndex client, const GraphNode &node);
    [[nodiscard]] base::Result<Successor> stepClient(const State &state, const Move &move);
    [[nodiscard]] Successor crash(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> lapse(const State &state, const Move &move);
    [[nodiscard]] Successor failServer(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> begin(const State &state, const Move &move);
    [[nodiscard]] base::Result<Successor> advanceTime(const State &state, const Move &move);
    [[nodiscard]] base::Result<void> advanceClients(State &state, std::chrono::milliseconds by, const Move &move);
    [[nodiscard]] ServersStateId moved(ServersStateId serversState, ClientIndex client, const GraphNode &from,
                                       const GraphNode &to);
    [[nodiscard]] ServersStateId claimed(ServersStateId serversState, ClientIndex client);

    Model &m_model; // Not owned.
    CommandEffects m_effects;
    ReadDependence m_readDependence;
};

} // namespace latchkey::races

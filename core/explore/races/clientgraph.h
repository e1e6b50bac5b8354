#pragma once

#include "core/explore/races/attempt.h"
#include "core/explore/races/effectcache.h"

#include <unordered_map>

namespace latchkey::races {

using NodeId = quint32;

/// A point in a client's attempt. The rest of the attempt depends only on this point and on the later events.
struct GraphNode
{
    struct Pending
    {
        int index = 0;
        int server = 0;
        CommandId command = 0;
        int conversation = 0; ///< Number of the conversation between this client and the server.
        bool waits = false;   ///< Whether the command blocks in the server until there is an answer.
        std::optional<std::chrono::milliseconds> timeout {}; ///< Remaining timeout; absent: none.

        /// Returns whether the server answers now: the command does not block, or its timeout has elapsed.
        [[nodiscard]] bool isDue() const { return !waits || (timeout && timeout->count() <= 0); }
        /// Returns whether the other request is the same command in the same conversation.
        [[nodiscard]] bool isSameRequest(const Pending &other) const
        {
            return server == other.server && conversation == other.conversation && command == other.command;
        }
    };

    Attempt::Wait wait = Attempt::Wait::Nothing;
    ClientStatus status;
    bool hasWon = false;                  ///< Whether the client is inside, or needs only clock readings to enter.
    int answered = 0;                     ///< Number of answers received for the current batch.
    std::chrono::seconds firstReading {}; ///< First clock reading, as Unix time.
    std::chrono::seconds lastReading {};  ///< Last clock reading, as Unix time.
    std::vector<Pending> requests;        ///< Commands that can be executed now, if the client waits for commands.
    std::vector<NodeId> branches;         ///< Target node of each branch, at a fork.
    std::optional<std::chrono::milliseconds> timer; ///< Time until the client continues without a reply; absent: never.
    quint64 listening = 0;                          ///< Conversations that can receive messages, one bit each.
    bool isAtCommandLimit = false; ///< Whether the client reached its command limit, so that its next step is unknown.
    bool hasBegun = false;         ///< Whether the client has sent or received anything, or waits for a time.
    NodeId withoutTime = 0;        ///< First node that differs from this one at most in the elapsed time.
};

/// A graph of the points that one client's attempt has reached: an edge is an event, such as a reply or a clock
/// reading.
///
/// A coroutine cannot be copied. Instead, a new coroutine receives the same events and so reaches the same point. This
/// is done once for each new node; after that, a step is a table lookup. Paths that lead to equal Run::localState()
/// share one node. Owned by the Model, one for each client.
class ClientGraph final
{
public:
    ClientGraph(RunFactory factory, ClientConditions conditions, EffectCache &effectCache);
    Q_DISABLE_COPY_MOVE(ClientGraph)

    /// Nodes of a client that has not begun, has ended its attempt, or is dead. The history of an ended or dead client
    /// has no further effect, so one node represents each of these states.
    static constexpr NodeId root = 0;
    static constexpr NodeId finished = 1;
    static constexpr NodeId crashed = 2;

    [[nodiscard]] const GraphNode &operator[](NodeId node) const { return m_nodes[node]; }
    [[nodiscard]] static bool isOver(NodeId node) { return node == finished || node == crashed; }

    [[nodiscard]] NodeId afterReply(NodeId node, int index, ReplyId reply);
    /// Returns the node after a reply that was lost before it reached the client.
    [[nodiscard]] NodeId afterLoss(NodeId node, int index, ReplyId reply);
    /// Returns the node after the request has failed with a connection error. Only for a recipe.
    [[nodiscard]] NodeId afterFailure(NodeId node, int index, base::ErrorKind kind);
    /// Returns the node after a message has arrived in the conversation.
    [[nodiscard]] NodeId afterMessage(NodeId node, int conversation, ReplyId message);
    [[nodiscard]] NodeId afterClock(NodeId node, std::chrono::seconds passed);
    [[nodiscard]] NodeId afterRest(NodeId node);
    [[nodiscard]] NodeId afterWrite(NodeId node);
    /// Returns the node after `time` has passed for the client.
    [[nodiscard]] NodeId afterTimeAdvance(NodeId node, std::chrono::milliseconds time);
    /// Returns the node of a client that begins this much later than the others.
    [[nodiscard]] NodeId beginningAt(std::chrono::milliseconds time);

    /// Returns whether the answer to a command may be a connection error.
    [[nodiscard]] bool answersFail() const { return m_conditions.answersFail; }
    /// Returns all replies that a server can give to a command of a recipe with several servers; empty: unknown.
    [[nodiscard]] const std::vector<ReplyId> &answersTo(CommandId command);
    /// Returns whether answersTo() contains every answer that the client has received on its way to the node. Commands
    /// with unknown answers are not checked.
    [[nodiscard]] bool hasOnlyExpectedAnswers(NodeId node);
    /// Returns Attempt::localState() at the node.
    [[nodiscard]] std::optional<QByteArray> localStateAt(NodeId node) const { return attemptAt(node).localState(); }

    /// Returns the node from which the node was first reached.
    [[nodiscard]] NodeId parentOf(NodeId node) const { return m_origins[node].parent; }
    /// A request and its reply.
    struct Answer
    {
        GraphNode::Pending request;
        ReplyId reply = 0;
    };
    /// Returns the answer with which the node was first reached; absent: another event, or a lost reply.
    [[nodiscard]] std::optional<Answer> answerBefore(NodeId node) const;
    /// Replays at `before` the event that led to `node`. Returns the node reached; absent if the event answers a
    /// request that is not pending at `before`.
    [[nodiscard]] std::optional<NodeId> replay(NodeId node, NodeId before);
    /// Replays at `before` the event that led to `node`, with the servers permuted by `imageOf`. Returns the node
    /// reached; absent if the client has no request for the corresponding server.
    [[nodiscard]] std::optional<NodeId> replayPermuted(NodeId node, NodeId before,
                                                       const std::function<int(int)> &imageOf);

private:
    struct Event
    {
        enum class Kind : quint8 { Reply, Failure, Loss, Message, Clock, Rest, Write, Take, TimeAdvance, Begin };
        Kind kind = Kind::Rest;
        quint8 index = 0;
        quint64 value = 0; ///< ReplyId; ErrorKind (Failure); seconds (Clock); Branch (Take); ms (TimeAdvance, Begin).

        friend bool operator==(const Event &, const Event &) = default;
    };
    struct Origin
    {
        NodeId parent = root;
        Event event;

        friend bool operator==(const Origin &, const Origin &) = default;
    };
    struct OriginHash
    {
        std::size_t operator()(const Origin &origin) const
        {
            return qHashMulti(0, origin.parent, static_cast<int>(origin.event.kind), origin.event.index,
                              origin.event.value);
        }
    };

    [[nodiscard]] NodeId child(NodeId node, Event event);
    [[nodiscard]] NodeId afterAnswer(NodeId node, const Event &answer);
    [[nodiscard]] Attempt attemptAt(NodeId node) const;
    void apply(Attempt &attempt, const Event &event) const;
    [[nodiscard]] NodeId add(const Origin &origin, const Attempt &attempt);
    [[nodiscard]] std::optional<NodeId> remembered(const QMultiHash<QByteArray, NodeId> &nodes, const GraphNode &node,
                                                   const QByteArray &localState) const;
    [[nodiscard]] GraphNode nodeFor(const Attempt &attempt) const;
    [[nodiscard]] bool hasWon(NodeId node) const;

    const RunFactory m_factory;
    const ClientConditions m_conditions;
    EffectCache &m_effectCache; // Not owned.
    std::vector<GraphNode> m_nodes;
    std::vector<Origin> m_origins;
    std::unordered_map<Origin, NodeId, OriginHash> m_children;
    QMultiHash<QByteArray, NodeId> m_remembered;        ///< Nodes by their Attempt::localState().
    QMultiHash<QByteArray, NodeId> m_rememberedUntimed; ///< Nodes by their Attempt::localStateWithoutTime().
    QHash<CommandId, std::vector<ReplyId>> m_answers;
};

} // namespace latchkey::races

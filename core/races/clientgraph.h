#pragma once

#include "core/races/attempt.h"
#include "core/races/testbed.h"

#include <unordered_map>

namespace latchkey::races {

using NodeId = quint32;

/// A point in a client's attempt: everything that follows depends on this and on what it will be granted.
struct Node
{
    struct Pending
    {
        int index = 0;
        int server = 0;
        CommandId command = 0;
        int conversation = 0;                                 ///< Of those that the client has with the server.
        bool waits = false;                                   ///< In the server, until there is something to answer.
        std::optional<std::chrono::milliseconds> patience {}; ///< For so much longer; absent: for ever.

        /// It has waited for as long as it wanted to, or does not wait at all.
        [[nodiscard]] bool isDue() const { return !waits || (patience && patience->count() <= 0); }
    };

    Attempt::Wait wait = Attempt::Wait::Nothing;
    Situation situation;
    bool hasWon = false; ///< It is inside, or has nothing left to do on its way there but to read its clock.
    int answered = 0;    ///< How many answers to the batch under way it has.
    std::chrono::seconds firstReading {};           ///< What its clock said when it read it first, as Unix time.
    std::chrono::seconds lastReading {};            ///< Likewise, when it read it last.
    std::vector<Pending> requests;                  ///< Where it waits for commands: those that can be carried out now.
    std::vector<NodeId> ways;                       ///< At a fork: where each way leads.
    std::optional<std::chrono::milliseconds> timer; ///< In how long it goes on by itself; absent: it does not.
    quint64 listening = 0;                          ///< Which of its conversations are open for messages, a bit each.
    bool isCut = false;                             ///< What it would do next is not known.
    bool hasBegun = false; ///< It has sent something, or has been told something, or waits for a moment to come.
};

/// All points that one client's attempt has been brought to, as a tree of what it was granted.
///
/// A coroutine cannot be copied, and need not be: a fresh one that is fed the same grants stands where the old one
/// stood. That is done once for each new node; from then on a step is a look into a table. Where a client remembers
/// nothing of the way that it has come (Run::memory()), all its ways lead to one node.
/// Owned by the Model, one for each client.
class ClientGraph final
{
public:
    ClientGraph(RunFactory factory, ClientConditions conditions, Testbed &testbed);
    Q_DISABLE_COPY_MOVE(ClientGraph)

    /// A client that has not begun, one whose attempt is over, and one that is dead. What the latter two have been
    /// through no longer matters to anybody, so that each is a single node.
    static constexpr NodeId root = 0;
    static constexpr NodeId finished = 1;
    static constexpr NodeId crashed = 2;

    [[nodiscard]] const Node &operator[](NodeId node) const { return m_nodes[node]; }
    [[nodiscard]] static bool isOver(NodeId node) { return node == finished || node == crashed; }

    [[nodiscard]] NodeId afterReply(NodeId node, int index, ReplyId reply);
    /// The reply has not reached it.
    [[nodiscard]] NodeId afterLoss(NodeId node, int index, ReplyId reply);
    /// The message has come in the conversation.
    [[nodiscard]] NodeId afterMessage(NodeId node, int conversation, ReplyId message);
    [[nodiscard]] NodeId afterClock(NodeId node, std::chrono::seconds passed);
    [[nodiscard]] NodeId afterRest(NodeId node);
    [[nodiscard]] NodeId afterWrite(NodeId node);
    /// So much time has gone by for it.
    [[nodiscard]] NodeId afterPass(NodeId node, std::chrono::milliseconds time);
    /// Where it stands that begins so much later than the others.
    [[nodiscard]] NodeId beginningAt(std::chrono::milliseconds time);

    /// What a server can answer to a command of a recipe that uses several of them; empty: that is not known.
    [[nodiscard]] const std::vector<ReplyId> &answersTo(CommandId command);
    /// Whether all answers that the client has been given on its way to the node are among those.
    [[nodiscard]] bool isReckonedWith(NodeId node);
    /// Attempt::memory() there.
    [[nodiscard]] std::optional<QByteArray> memoryAt(NodeId node) const { return attemptAt(node).memory(); }

    /// The node from which the node was reached.
    [[nodiscard]] NodeId parentOf(NodeId node) const { return m_origins[node].parent; }
    /// Where a client comes to from `before` if it is granted what led to the node, each server's reply by the server
    /// in its place; nothing where it has not asked that one.
    [[nodiscard]] std::optional<NodeId> likewise(NodeId node, NodeId before, const std::function<int(int)> &placeOf);

private:
    struct Event
    {
        enum class Kind : quint8 { Reply, Loss, Message, Clock, Rest, Write, Take, Pass, Begin };
        Kind kind = Kind::Rest;
        quint8 index = 0;
        quint64 value = 0; ///< Of a reply its number; of a clock seconds, of time that passes milliseconds.

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
    [[nodiscard]] Attempt attemptAt(NodeId node) const;
    void apply(Attempt &attempt, const Event &event) const;
    [[nodiscard]] NodeId add(const Origin &origin, const Attempt &attempt);
    [[nodiscard]] std::optional<NodeId> remembered(const Node &node, const QByteArray &memory) const;
    [[nodiscard]] Node nodeFor(const Attempt &attempt) const;
    [[nodiscard]] bool hasWon(NodeId node) const;

    const RunFactory m_factory;
    const ClientConditions m_conditions;
    Testbed &m_testbed; // Not owned.
    std::vector<Node> m_nodes;
    std::vector<Origin> m_origins;
    std::unordered_map<Origin, NodeId, OriginHash> m_children;
    QMultiHash<QByteArray, NodeId> m_remembered; ///< By what is remembered there.
    QHash<CommandId, std::vector<ReplyId>> m_answers;
};

} // namespace latchkey::races

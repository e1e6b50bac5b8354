#pragma once

#include "core/explore/programs/listener.h"
#include "core/explore/programs/localreplies.h"
#include "core/explore/races/run.h"
#include "core/explore/schedules/subscriptions.h"
#include "core/foundation/base/error.h"
#include "core/redis/resp/codec.h"

#include <QSet>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace latchkey::programs {

/// A proxy in place of the servers of one process: private ports and a private Unix socket.
///
/// Every process has its own proxy, so the address identifies the process. A conversation is one connection of the
/// process. The proxy receives its commands and answers local commands (see LocalReplies), MULTI and queued commands
/// immediately. The first other command of each conversation, or a whole transaction, is offered: offers() returns it,
/// and the caller gives the reply by answer(). Owned by the Process. The proxy connects to no server. wait() blocks;
/// send() blocks for at most one second if the process does not read.
class CommandProxy final
{
public:
    /// `firstClientId`: reply to CLIENT ID on the first connection.
    CommandProxy(std::vector<Listener> listeners, qint64 firstClientId)
        : m_listeners(std::move(listeners))
        , m_nextClientId(firstClientId)
    {}
    ~CommandProxy();
    Q_DISABLE_COPY_MOVE(CommandProxy)

    /// Accepts connections and reads all available input. Returns whether there was any input. Error (Protocol): the
    /// input is not the Redis protocol, or contains a command that cannot be explored.
    [[nodiscard]] base::Result<bool> readInput();
    /// Waits for input, at most for `longest`.
    void wait(std::chrono::microseconds longest) const;

    /// Numbers the conversations that have reached a step since the last call. Call after the process has settled, so
    /// that the numbers do not depend on the speed of its threads. A connection without server-side state
    /// (subscription, WATCH) gets the lowest free number each time, because a thread may take any connection of its
    /// pool. Error (Protocol): too many conversations.
    [[nodiscard]] base::Result<void> numberConversations();
    /// Returns the commands that the process is ready to send, by number of the conversation.
    [[nodiscard]] std::vector<races::Offer> offers() const;
    /// Sends the reply to the offered commands of the conversation. Has no effect without an offer.
    void answer(int conversation, const resp::Reply &reply);
    /// Sends a message, which answers no command. The conversation must be one of listening().
    void deliver(int conversation, const resp::Reply &message);
    /// Returns the open conversations with subscriptions, one bit each.
    [[nodiscard]] quint64 listening() const;
    /// Closes the conversation instead of answering.
    void closeConversation(int conversation);

    /// Returns the servers to which the process has connected, one bit each.
    [[nodiscard]] quint32 connectedServers() const { return m_connectedServers; }
    /// Returns whether any conversation is open.
    [[nodiscard]] bool hasOpenConversation() const;

private:
    struct Conversation
    {
        int descriptor = -1; ///< -1: closed; commands received earlier remain.
        quint8 server = 0;
        int number = -1; ///< -1: none until the next numberConversations().
        resp::ReplyReader reader {};
        std::deque<resp::Command> waiting {};
        std::optional<resp::Commands> offer {};
        QByteArray output {};                         ///< Encoded replies until send().
        std::optional<resp::Commands> transaction {}; ///< Commands since MULTI.
        schedules::Subscriptions subscriptions {};
        LocalReplies::Connection connection {};
        bool hasSentCommand = false;
        bool hasNewOffer = false;   ///< Whether the offer came after the last numberConversations().
        bool hasSubscribed = false; ///< Whether the connection has had a subscription.
        bool isWatching = false;    ///< Whether the connection watches keys.

        /// Returns whether the server keeps a state for the connection, so that its number stays.
        [[nodiscard]] bool hasState() const { return hasSubscribed || isWatching; }
    };

    [[nodiscard]] bool accept(const Listener &listener);
    [[nodiscard]] base::Result<bool> read(Conversation &conversation);
    [[nodiscard]] base::Result<void> proceed(Conversation &conversation);
    /// Adds the command to a transaction or offers it. Returns false if the command is offered.
    [[nodiscard]] bool queue(Conversation &conversation, const resp::Command &command);
    [[nodiscard]] static std::optional<base::Text> unsupportedReason(const Conversation &conversation,
                                                                     const resp::Command &command);
    [[nodiscard]] std::optional<resp::Reply> answerLocally(Conversation &conversation, const resp::Command &command);
    [[nodiscard]] Conversation *find(int number);
    static void deliver(Conversation &conversation, const resp::Commands &commands, const resp::Reply &reply);
    /// Adds a message or the confirmation of a subscription.
    static void push(Conversation &conversation, const resp::Reply &message);
    static void send(Conversation &conversation);
    static void close(Conversation &conversation);
    void releaseNumber(Conversation &conversation);

    const std::vector<Listener> m_listeners;
    qint64 m_nextClientId;
    std::map<quint8, LocalReplies> m_localReplies; ///< By server: one server does not know the scripts of another.
    std::vector<std::unique_ptr<Conversation>> m_conversations;
    QSet<int> m_retired; ///< Numbers of closed conversations that had a state.
    QSet<int> m_freed;   ///< Numbers of conversations that the process has closed since numberConversations().
    std::optional<base::Error> m_error; ///< Error of the commands after an answer; returned by readInput().
    int m_localAnswers = 0;             ///< Number of consecutive immediate answers.
    quint32 m_connectedServers = 0;
};

} // namespace latchkey::programs

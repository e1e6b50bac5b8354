#pragma once

#include "core/base/error.h"
#include "core/programs/listener.h"
#include "core/programs/preliminaries.h"
#include "core/races/run.h"
#include "core/resp/codec.h"
#include "core/resp/subscriptions.h"

#include <deque>
#include <memory>
#include <vector>

namespace latchkey::programs {

/// The server that one process believes to have: a port and a Unix socket of its own, behind which nothing happens
/// until it is told what the reply is.
///
/// Every process has a proxy to itself, so that where it connects to says who speaks. It takes what the process sends,
/// answers the preliminaries at once, and offers what remains: of each conversation the first command, or a whole
/// transaction. Owned by the Process. It knows no server and waits for nobody but in wait().
class Proxy final
{
public:
    explicit Proxy(std::vector<Listener> listeners)
        : m_listeners(std::move(listeners))
    {}
    ~Proxy();
    Q_DISABLE_COPY_MOVE(Proxy)

    /// Takes in all that has come; whether anything has. Error (Protocol): what has come cannot be explored.
    [[nodiscard]] base::Result<bool> takeIn();
    /// Until something comes, or so long.
    void wait(std::chrono::microseconds longest) const;

    /// Numbers the conversations that have come to their first step since the last time. To be called once the process
    /// has settled, so that the numbers do not hang on which of its threads was quicker. Error (Protocol): there are
    /// too many.
    [[nodiscard]] base::Result<void> numberConversations();
    /// What the process is ready to send, by the number of the conversation.
    [[nodiscard]] std::vector<races::Offer> offers() const;
    void answer(int conversation, const resp::Reply &reply);
    /// A message, which answers nothing; the conversation must be one of listening().
    void tell(int conversation, const resp::Reply &message);
    /// Which conversations are open and have subscribed to anything, a bit each.
    [[nodiscard]] quint64 listening() const;
    /// Ends the conversation instead of answering.
    void drop(int conversation);

    [[nodiscard]] bool hasConnected() const { return m_hasConnected; }
    [[nodiscard]] bool hasOpenConversation() const;
    [[nodiscard]] bool hasAskedForResp3() const { return m_preliminaries.hasAskedForResp3(); }

private:
    struct Conversation
    {
        int descriptor = -1; ///< -1: it has ended, which what has come by then outlives.
        int number = -1;     ///< Once it has one, see numberConversations().
        resp::ReplyReader reader {};
        std::deque<resp::Command> waiting {};
        std::optional<resp::Commands> offer {};
        std::optional<resp::Commands> transaction {}; ///< Since MULTI.
        resp::Subscriptions subscriptions {};
        bool hasSpoken = false;
    };

    [[nodiscard]] bool accept(const Listener &listener);
    [[nodiscard]] base::Result<bool> read(Conversation &conversation);
    [[nodiscard]] base::Result<void> proceed(Conversation &conversation);
    /// Whether the command is dealt with, rather than offered.
    [[nodiscard]] bool queue(Conversation &conversation, const resp::Command &command);
    [[nodiscard]] std::optional<resp::Reply> answerAtOnce(const Conversation &conversation,
                                                          const resp::Command &command);
    [[nodiscard]] Conversation *find(int number);
    static void tell(const Conversation &conversation, const resp::Reply &reply, bool isNullArray = false);
    static void close(Conversation &conversation);

    const std::vector<Listener> m_listeners;
    Preliminaries m_preliminaries;
    std::vector<std::unique_ptr<Conversation>> m_conversations;
    int m_numbered = 0;
    int m_answeredAtOnce = 0; ///< In a row.
    bool m_hasConnected = false;
};

} // namespace latchkey::programs

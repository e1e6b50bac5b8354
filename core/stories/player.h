#pragma once

#include "core/base/error.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"
#include "core/resp/subscriptions.h"
#include "core/stories/story.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace latchkey::stories {

/// What has come of a step.
struct Played
{
    bool isAsTold = true; ///< Nothing that a server answered differs from the story.
    resp::Reply reply;    ///< To a command: the server's own.
};

/// Plays a story on real servers, a step at a time: sends what its clients send, each over a connection of its own, and
/// holds what comes back against what the story tells.
///
/// It knows no recipe and takes no decision: the commands are the story's. None of them waits in the server: where the
/// story has BLPOP, what is there is taken, and else its time is up. A crash closes the client's connections, a
/// lapse deletes the key, over a connection that no client has; clocks and writes to a resource are nothing that a
/// server would notice. Where time goes by with a lapse or a wait, whoever has made the servers' clock is told of it;
/// without one, what is left of every lifetime becomes so much less. What cannot happen is refused: a lapse of a key
/// that is not there or has no lifetime, a deadline where the key holds none. Owned by its caller. It does not start
/// servers, and it waits for them: not for a thread that runs an event loop.
class Player final
{
public:
    /// How long a server may be busy with one step of a story that somebody else has written.
    static constexpr std::chrono::seconds longestStep {3};

    /// story: not owned; one that checkStory() accepts. servers: as many as the story has; they are emptied.
    /// patience: how long each of them may be busy with a step.
    Player(const Story &story, std::vector<resp::Endpoint> servers, std::chrono::seconds patience = longestStep);
    ~Player();
    Q_DISABLE_COPY_MOVE(Player)

    /// What lets time go by on the servers: is told how much has by now, beginning with nothing.
    void setClock(std::function<void(std::chrono::milliseconds)> setTo) { m_setClock = std::move(setTo); }

    /// Empties the servers, teaches them the story's scripts and puts there what it starts from. Errors of servers;
    /// Usage: a script cannot be compiled, a command beforehand fails or takes too long.
    [[nodiscard]] base::Result<void> begin();
    /// Plays the next step. Errors of servers, which name the step; an error that the story tells of is none. Usage:
    /// the step cannot happen, or takes too long.
    [[nodiscard]] base::Result<Played> playNext();
    /// How many steps have been played.
    [[nodiscard]] std::size_t played() const { return m_played; }
    [[nodiscard]] bool isOver() const { return m_played == m_story.steps.size(); }

private:
    using Connection = std::unique_ptr<resp::BlockingConnection>;

    /// Where a client listens.
    struct Ear
    {
        Connection connection;
        resp::Subscriptions subscriptions;
        resp::Replies inbox; ///< Messages that it has not been told yet.
    };

    /// Fields of a hash, and the milliseconds that they have left.
    using FieldEnds = std::vector<std::pair<QByteArray, qint64>>;

    [[nodiscard]] base::Result<FieldEnds> fieldEnds(int server, const QByteArray &key);
    [[nodiscard]] base::Result<void> endFields(int server, std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> shortenFields(int server, const QByteArray &key, std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> dial(int server, Connection &connection) const;
    [[nodiscard]] base::Result<resp::Replies> askEar(const Step &step,
                                                     const std::function<resp::Commands(const Ear &)> &commands);
    [[nodiscard]] base::Result<resp::Reply> subscribe(const Step &step);
    [[nodiscard]] base::Result<Played> hear(const Step &step);
    [[nodiscard]] base::Result<resp::Reply> ask(int server, const QString &client, const resp::Command &command);
    [[nodiscard]] resp::Command spelledOut(const resp::Command &command) const;
    [[nodiscard]] base::Result<void> insist(int server, const resp::Command &command);
    [[nodiscard]] base::Result<Played> play(const Step &step);
    [[nodiscard]] base::Result<resp::Reply> send(const Step &step);
    [[nodiscard]] base::Result<void> endKey(int server, const QByteArray &key);
    [[nodiscard]] base::Result<void> checkDeadline(int server, const QByteArray &key);
    [[nodiscard]] base::Result<void> pass(std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> shorten(int server, std::chrono::milliseconds time);

    const Story &m_story; // Not owned.
    const std::vector<resp::Endpoint> m_servers;
    const std::chrono::seconds m_patience;
    std::map<std::pair<int, QString>, Connection> m_connections; ///< Nobody's, for faults, have no client's name.
    std::map<std::pair<int, QString>, Ear> m_ears;
    std::set<std::pair<int, QString>> m_queueing;              ///< Who has sent MULTI, and has not ended that.
    std::map<QByteArray, QByteArray> m_digests;                ///< The scripts' SHA1, by their names.
    std::function<void(std::chrono::milliseconds)> m_setClock; ///< May be null.
    std::chrono::milliseconds m_passed {};
    std::size_t m_played = 0;
};

} // namespace latchkey::stories

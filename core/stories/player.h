#pragma once

#include "core/base/error.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"
#include "core/stories/story.h"

#include <map>
#include <memory>

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
/// It knows no recipe and takes no decision: the commands are the story's. A crash closes the client's connections, a
/// lapse deletes the key; clocks, waits and writes to a resource are nothing that a server would notice.
/// Owned by whoever plays. It does not start servers, and it waits for them: not for a thread that runs an event loop.
class Player final
{
public:
    /// story: not owned. servers: as many as the story has; they are emptied.
    Player(const Story &story, std::vector<resp::Endpoint> servers);
    ~Player();
    Q_DISABLE_COPY_MOVE(Player)

    /// Empties the servers, teaches them the story's scripts and puts there what it starts from. Errors of servers;
    /// Usage: a script cannot be compiled.
    [[nodiscard]] base::Result<void> begin();
    /// Plays the next step. Errors of servers; an error that the story tells of is none.
    [[nodiscard]] base::Result<Played> playNext();
    /// How many steps have been played.
    [[nodiscard]] std::size_t played() const { return m_played; }
    [[nodiscard]] bool isOver() const { return m_played == m_story.steps.size(); }

private:
    using Connection = std::unique_ptr<resp::BlockingConnection>;

    [[nodiscard]] base::Result<resp::Reply> ask(int server, const QString &client, const resp::Command &command);
    [[nodiscard]] resp::Command spelledOut(const resp::Command &command) const;
    [[nodiscard]] base::Result<void> insist(int server, const resp::Command &command);

    const Story &m_story; // Not owned.
    const std::vector<resp::Endpoint> m_servers;
    std::map<std::pair<int, QString>, Connection> m_connections; ///< The faults' have no client's name.
    std::map<QByteArray, QByteArray> m_digests;                  ///< The scripts' SHA1, by their names.
    std::size_t m_played = 0;
};

} // namespace latchkey::stories

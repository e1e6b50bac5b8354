#pragma once

#include "core/exchange/loopdriver.h"
#include "core/resp/session.h"
#include "core/server/privateserver.h"
#include "core/stage/judge.h"

#include <QSet>

namespace latchkey::stage {

/// The private servers of a story, and a look into each of them that no client has.
///
/// They are confined (see confinement.h) before ready() says that they can be used. Owned by the player; they end with
/// this object.
class Servers final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Servers)

public:
    /// Clock and random source are not owned.
    Servers(int count, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Servers() override;

    void start();
    /// SIGKILL; isGone() once it has come about.
    void kill(int server);
    [[nodiscard]] bool isKilled(int server) const { return m_killed.contains(server); }
    [[nodiscard]] bool isGone(int server) const { return m_gone.contains(server); }
    [[nodiscard]] std::vector<resp::Endpoint> endpoints() const;

    /// For what the player asks; a command's server counts from 0.
    [[nodiscard]] exchange::LoopDriver &driver() { return *m_driver; }

Q_SIGNALS:
    void ready();
    /// They could not be started, or one has ended without being told to.
    void failed(const latchkey::base::Error &error);
    /// One that was told to has ended.
    void gone();

private:
    void watch(int server);
    void connectSessions();
    void confine();

    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    std::vector<std::unique_ptr<server::PrivateServer>> m_servers;
    std::vector<std::unique_ptr<resp::Session>> m_sessions;
    std::unique_ptr<exchange::LoopDriver> m_driver; ///< Once they have started.
    QSet<int> m_killed;
    QSet<int> m_gone;
    bool m_isConfined = false;
};

/// What the server has under the key now.
[[nodiscard]] exchange::Exchange<KeySeen> look(base::Key key, int server);

} // namespace latchkey::stage

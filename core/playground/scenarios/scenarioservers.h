#pragma once

#include "core/playground/scenarios/expectationchecker.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "core/redis/privateserver/privateserver.h"

#include <QSet>

namespace latchkey::scenarios {

/// The private servers of a story, and an inspection connection to each of them.
///
/// The servers are confined (see confinement.h) before ready() is emitted. Owned by the player. The servers end with
/// this object.
class ScenarioServers final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScenarioServers)

public:
    /// Clock and random source are not owned.
    ScenarioServers(int count, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~ScenarioServers() override;

    void start();
    /// Kills a server with SIGKILL. isGone() is true when its process has ended.
    void kill(int server);
    [[nodiscard]] bool isKilled(int server) const { return m_killed.contains(server); }
    [[nodiscard]] bool isGone(int server) const { return m_gone.contains(server); }
    [[nodiscard]] std::vector<net::Endpoint> endpoints() const;

    /// Returns the driver for the player's requests. Server indexes start at 0.
    [[nodiscard]] exchange::LoopDriver &driver() { return *m_driver; }

Q_SIGNALS:
    void ready();
    /// Emitted when servers cannot be started, or one ends unexpectedly.
    void failed(const latchkey::base::Error &error);
    /// Emitted when a killed server has ended.
    void gone();

private:
    void watch(int server);
    void connectSessions();
    void confine();

    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    std::vector<std::unique_ptr<privateserver::PrivateServer>> m_servers;
    std::vector<std::unique_ptr<net::Session>> m_sessions;
    std::unique_ptr<exchange::LoopDriver> m_driver; ///< Null until the servers have started.
    QSet<int> m_killed;
    QSet<int> m_gone;
    bool m_isConfined = false;
};

/// Reads the current content of the key.
[[nodiscard]] exchange::Exchange<ObservedKey> readKey(base::Key key, int server);

} // namespace latchkey::scenarios

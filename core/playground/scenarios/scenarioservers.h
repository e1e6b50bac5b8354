#pragma once

#include "core/playground/scenarios/replicarelay.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "core/redis/privateserver/privateserver.h"

#include <QSet>

#include <map>

namespace latchkey::scenarios {

/// The private servers of a story with their replicas, and an inspection connection to each of them.
///
/// The servers are confined (see confinement.h) before ready() is emitted, and their replicas are in sync. Clients have
/// the address of a server, its Unix socket. A failover moves the address to the promoted replica, as a virtual IP
/// address does. Owned by the player. The servers end with this object.
class ScenarioServers final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScenarioServers)

public:
    /// `replicas`: number of replicas of each server. Clock and random source are not owned.
    ScenarioServers(int count, int replicas, const base::Clock &clock, base::RandomSource &random,
                    QObject *parent = nullptr);
    ~ScenarioServers() override;

    void start();
    /// Kills a server with SIGKILL. isGone() is true when its process has ended.
    void kill(int server);
    [[nodiscard]] bool isKilled(int server) const { return m_killed.contains(server); }
    [[nodiscard]] bool isGone(int server) const { return m_gone.contains(server); }

    /// Kills a server with SIGKILL and starts it again, without data. isServing() is true when it replies, and its
    /// replicas are in sync with it.
    void restart(int server);
    /// Kills a server with SIGKILL, promotes one of its replicas, and moves the address of the server to it.
    /// isServing() is true when the replica replies as the server, and the other replicas are in sync with it.
    void failOver(int server, int replica);
    /// Cuts the connection between a replica and its server. The replica keeps its data.
    void cutOff(int server, int replica);
    /// Returns whether the server is neither killed nor in a restart() or failOver().
    [[nodiscard]] bool isServing(int server) const { return !isKilled(server) && !m_replaced.contains(server); }

    [[nodiscard]] const std::vector<net::Endpoint> &endpoints() const { return m_endpoints; }
    /// Returns the index of a replica for requests of the driver.
    [[nodiscard]] int indexOf(int server, int replica) const;

    /// Returns the driver for the player's requests. Indexes of servers start at 0; see also indexOf().
    [[nodiscard]] exchange::LoopDriver &driver() { return *m_driver; }

Q_SIGNALS:
    void ready();
    /// Emitted when servers cannot be started or synchronised, or one ends unexpectedly.
    void failed(const latchkey::base::Error &error);
    /// Emitted when a killed server has ended, or a server is serving again.
    void changed();

private:
    struct Replica
    {
        std::unique_ptr<privateserver::PrivateServer> process; ///< Null after the promotion.
        std::unique_ptr<ReplicaRelay> relay;
        bool isInSync = true; ///< Whether the replica is connected to its server.
    };
    enum class Replacement : quint8 { Restart, Failover };
    struct Replaced
    {
        Replacement kind = Replacement::Restart;
        int replica = 0;
    };

    void watch(privateserver::PrivateServer &process);
    void started(const privateserver::PrivateServer &process);
    void ended(const privateserver::PrivateServer &process);
    void connectSessions();
    void sessionChanged(int index);
    void prepare();
    void attachReplicas();
    void promote(int server, int replica);
    void moveAddress(int server, int replica);
    void reconnectClients(int server);
    /// Calls the function when all connected replicas are in sync with their servers.
    void whenInSync(std::function<void()> done);
    template<typename T>
    void execute(exchange::Exchange<T> requests, std::function<void()> done);
    [[nodiscard]] std::optional<int> serverOf(const privateserver::PrivateServer &process) const;
    [[nodiscard]] int count() const { return static_cast<int>(m_servers.size()); }
    [[nodiscard]] privateserver::PrivateServer &process(int server)
    {
        return *m_servers[static_cast<std::size_t>(server)];
    }
    [[nodiscard]] net::Session &session(int index) { return *m_sessions[static_cast<std::size_t>(index)]; }

    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    const int m_replicasPerServer;
    const QByteArray m_password;                                          ///< Password of the replicas.
    std::vector<std::unique_ptr<privateserver::PrivateServer>> m_servers; ///< The current process of each server.
    std::vector<std::unique_ptr<privateserver::PrivateServer>> m_former;  ///< Keeps the folders with the addresses.
    std::vector<Replica> m_replicas;                                      ///< Those of the first server first.
    std::vector<net::Endpoint> m_endpoints;                               ///< Addresses of the servers.
    std::vector<std::unique_ptr<net::Session>> m_sessions;                ///< Of the servers, then of the replicas.
    std::unique_ptr<exchange::LoopDriver> m_driver;                       ///< Null until the servers have started.
    QSet<int> m_killed;
    QSet<int> m_gone;
    std::map<int, Replaced> m_replaced; ///< Servers in a restart or failover.
    bool m_isPrepared = false;
};

} // namespace latchkey::scenarios

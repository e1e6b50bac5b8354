#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/random.h"
#include "core/redis/exchange/stepper.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/net/slotroutes.h"

#include <map>
#include <memory>
#include <set>

namespace latchkey::exchange {

/// A driver that executes an exchange while the caller waits, for the command line and for tests.
///
/// It connects when a command first needs a server, and reconnects after a lost connection. Each command and each
/// connection attempt has the same timeout, shortened by the exchange's deadline (dueBy()). The servers of a batch
/// connect and reply in parallel, so several unresponsive servers take no longer than one. A server may be any node of
/// a cluster: a command goes to the node that serves its key, and follows redirects. Owned by the code that runs
/// exchanges. It needs no event loop and must not be used in a thread with a running event loop.
class BlockingDriver final
{
public:
    /// Creates a driver. `servers`: indexed by a command's ServerIndex. Clock and random source are not owned.
    explicit BlockingDriver(std::vector<net::Endpoint> servers,
                            std::chrono::milliseconds timeout = std::chrono::seconds(5),
                            const base::Clock &clock = base::SystemClock::instance(),
                            base::RandomSource &random = base::SystemRandom::instance());
    ~BlockingDriver();
    Q_DISABLE_COPY_MOVE(BlockingDriver)

    /// Connects to every server, so that a refusal is known before an exchange begins. Returns the first error.
    [[nodiscard]] base::Result<void> connect();

    template<typename T>
    [[nodiscard]] base::Result<T> run(Exchange<T> exchange)
    {
        Stepper<T> stepper(std::move(exchange));
        drive(stepper);
        return stepper.takeResult();
    }

    /// Returns the INFO of a server at the last connection. Absent before the first connection.
    [[nodiscard]] const std::optional<resp::ServerInfo> &serverInfo(ServerIndex server) const
    {
        return m_serverInfos.at(static_cast<std::size_t>(server));
    }

    /// Returns the address at the last connection; with sentinels, that of the primary that they had named. Absent
    /// before the first connection.
    [[nodiscard]] const std::optional<net::HostPort> &addressOf(ServerIndex server) const
    {
        return m_addresses.at(static_cast<std::size_t>(server));
    }

    /// Returns the first server, or the node of its cluster that answered the last command about this key.
    [[nodiscard]] const net::Endpoint &endpointOf(const base::Key &key) const
    {
        return m_routes.front().endpointOfKey(key.bytes());
    }

    /// Returns the clock that the exchanges read.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    void drive(StepperBase &stepper);
    [[nodiscard]] Grant execute(const Step &step, base::MonotonicTime deadline);
    [[nodiscard]] Answer execute(const Request &request, base::MonotonicTime deadline);
    [[nodiscard]] Answers executeBatch(const Batch &batch, base::MonotonicTime due);
    /// Returns the timeout of a command with this deadline. Zero if the deadline has passed.
    [[nodiscard]] std::chrono::milliseconds timeoutFor(base::MonotonicTime deadline) const;
    /// A server, and the address of the node of its cluster.
    using Peer = std::pair<ServerIndex, QString>;

    /// Returns the peer for the command, according to the known slots of the cluster.
    [[nodiscard]] Peer peerFor(const Request &request);
    [[nodiscard]] Peer peerAt(ServerIndex server, const net::Endpoint &endpoint);
    [[nodiscard]] net::SlotRoutes &routesOf(const Request &request);
    /// Connects to the disconnected peers, in parallel.
    [[nodiscard]] std::map<Peer, base::Result<void>> connectTo(const std::set<Peer> &peers,
                                                               std::chrono::milliseconds timeout);
    [[nodiscard]] base::Result<void> adopt(const Peer &peer,
                                           base::Result<net::DialResult<net::BlockingConnection>> dialled);
    [[nodiscard]] bool isConnectedTo(const Peer &peer) const;
    /// Repeats the command while nodes of a cluster redirect it, and returns the answer.
    [[nodiscard]] Answer followRedirect(const Request &request, const Peer &peer, resp::Reply reply,
                                        base::MonotonicTime due);
    /// Sends the request to a node that a redirect has named.
    [[nodiscard]] base::Result<resp::Reply> requestAt(const Peer &peer, const Request &request, bool isAsking,
                                                      std::chrono::milliseconds timeout);

    const std::vector<net::Endpoint> m_servers;
    std::vector<net::SlotRoutes> m_routes;     ///< One per server.
    std::map<Peer, net::Endpoint> m_endpoints; ///< The endpoint of each peer.
    std::map<Peer, std::unique_ptr<net::BlockingConnection>> m_connections;
    std::vector<std::optional<resp::ServerInfo>> m_serverInfos; ///< One per server.
    std::vector<std::optional<net::HostPort>> m_addresses;      ///< One per server.
    const std::chrono::milliseconds m_timeout;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
};

} // namespace latchkey::exchange

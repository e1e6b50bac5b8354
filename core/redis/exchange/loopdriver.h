#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/random.h"
#include "core/redis/exchange/stepper.h"
#include "core/redis/exchange/transcript.h"

#include <QDeadlineTimer>
#include <QObject>

#include <functional>
#include <map>
#include <memory>

namespace latchkey::net {
class Connection;
class Session;
struct Endpoint;
} // namespace latchkey::net

namespace latchkey::exchange {

class NodeSessions;

/// A driver that executes any number of exchanges at a time on the event loop, over the connections of sessions.
///
/// Parallel exchanges share a connection and its pipeline. A recipe that needs its own connection (WATCH) must run in
/// its own driver. A command without a reply in time ends the connection for all exchanges. The limit is the driver's
/// timeout or the exchange's deadline (dueBy()), whichever is earlier. A command to a disconnected session fails at
/// once (Unreachable), with the session's last error. Owned by the code that starts exchanges. Its destruction cancels
/// all exchanges. Sessions, clock and random source are not owned.
class LoopDriver final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LoopDriver)

public:
    using RunId = quint64;

    /// Creates a driver. `servers`: indexed by a command's ServerIndex.
    LoopDriver(std::vector<net::Session *> servers, const base::Clock &clock, base::RandomSource &random,
               QObject *parent = nullptr);
    ~LoopDriver() override;

    /// Starts an exchange. `done` is called once with the result, from the event loop and never from within run().
    template<typename T>
    RunId run(Exchange<T> exchange, std::function<void(base::Result<T>)> done)
    {
        return begin(RunningExchange(std::move(exchange), std::move(done)));
    }

    /// Destroys a running exchange without calling its `done`. Commands already sent are still executed by the server.
    /// Has no effect on an exchange that has ended.
    void cancel(RunId run);

    /// Makes commands follow their keys to the nodes of a cluster, for any endpoints of the sessions. To be called
    /// before the first exchange. Not permitted for a session with a command filter, which the sessions to other nodes
    /// would bypass.
    void followClusters();

    /// Returns the endpoint that serves the key: the endpoint of the session, or a node of its cluster.
    [[nodiscard]] const net::Endpoint &endpointOf(ServerIndex server, const base::Key &key) const;

    [[nodiscard]] std::size_t running() const { return m_runs.size(); }

    /// Sets the timeout of each later command. Default: 5 s.
    void setTimeout(std::chrono::milliseconds timeout) { m_timeout = timeout; }
    void setListener(TranscriptListener listener) { m_listener = std::move(listener); }

private:
    struct Run
    {
        RunningExchange exchange;
        /// Additional objects of the current step: for each new connection a dialer, then the connection.
        std::map<ServerIndex, std::unique_ptr<QObject>> extras {};
        Answers answers {};      ///< Replies to the pending batch.
        std::size_t missing = 0; ///< Number of servers that have not replied to the batch.
    };

    class Gathering;

    [[nodiscard]] RunId begin(RunningExchange exchange);
    void proceed(RunId id);
    void grant(RunId id, Grant grant);
    [[nodiscard]] Run *find(RunId id);

    void execute(RunId id, const Request &request);
    void execute(RunId id, const Batch &batch);
    void startPause(RunId id, std::chrono::milliseconds duration);
    /// Returns the timeout of a command of this run. Zero if the deadline has passed.
    [[nodiscard]] std::chrono::milliseconds timeoutFor(const Run &run) const;
    /// Sends commands to the server, over its session or over new connections. `done` receives one answer per command,
    /// even without a connection.
    void send(RunId id, std::vector<Request> requests, std::chrono::milliseconds timeout,
              std::function<void(Answers)> done);
    void sendOnNewConnection(RunId id, std::vector<Request> requests, std::chrono::milliseconds timeout,
                             std::function<void(Answers)> done);
    void sendOver(net::Connection &connection, const net::Endpoint &endpoint, std::vector<Request> requests,
                  std::chrono::milliseconds timeout, std::function<void(Answers)> done);
    void route(std::vector<Request> requests, std::chrono::milliseconds timeout, std::function<void(Answers)> done);
    void followRedirect(const Request &request, const net::Endpoint &endpoint, resp::Reply reply, QDeadlineTimer last,
                        const std::function<void(Answer)> &done);
    /// Passes the same answer for each command to `done`, from the event loop.
    void answerAll(std::size_t count, const Answer &answer, std::function<void(Answers)> done);

    const std::vector<net::Session *> m_servers;        // Not owned.
    const base::Clock &m_clock;                         // Not owned.
    base::RandomSource &m_random;                       // Not owned.
    std::vector<std::unique_ptr<NodeSessions>> m_nodes; ///< One per server; empty unless clusters are followed.
    std::chrono::milliseconds m_timeout;
    TranscriptListener m_listener;
    std::map<RunId, Run> m_runs;
    RunId m_lastId = 0;
};

} // namespace latchkey::exchange

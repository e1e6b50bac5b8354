#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/random.h"
#include "core/redis/net/backoff.h"
#include "core/redis/net/dialer.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::net {

class SentinelWatch;

/// A connection to one server that is restored automatically: it connects, detects a loss, waits, and reconnects.
///
///     Stopped → Connecting → Ready → (connection lost) → Waiting → Connecting → …
///                   └──────→ (refused, timed out) ──────────┘
///
/// Waits grow and are randomised (see Backoff). After a refused password the wait is longer (see Timing::passwordWait),
/// because attempts fill the server's log and may lock the user out. The wait is short while no password is sent, and
/// after a password that the server accepted before, because the cause is then often temporary. An error that needs a
/// user action, such as a refused SSH login, stops the attempts until retryNow(). Otherwise each attempt would ask the
/// user again. With sentinels, the session follows the primary that they name. It disconnects from the former primary
/// as soon as the sentinels name another, because a frozen or isolated primary may still reply. While Ready, a PING
/// each second measures the round trip and detects a silent peer. Owned by the code that watches the server. Requests
/// are not repeated: their sender decides what to do.
class Session final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Session)

public:
    enum class State : quint8 { Stopped, Connecting, Ready, Waiting };
    Q_ENUM(State)

    struct Timing
    {
        std::chrono::milliseconds dialTimeout = std::chrono::seconds(5);
        std::chrono::milliseconds pingInterval = std::chrono::seconds(1);
        std::chrono::milliseconds pingTimeout = std::chrono::seconds(5);
        /// Limit of the timeout of every request; absent: none.
        std::optional<std::chrono::milliseconds> maxRequestTimeout {};
        /// Wait before the next attempt after a refused password: the server's users may have changed meanwhile.
        std::chrono::milliseconds passwordWait = std::chrono::seconds(30);
        /// Longest wait after a refusal that is probably temporary, or that no password has caused.
        std::chrono::milliseconds longestLoginWait = std::chrono::seconds(3);
    };

    /// Clock and random source are not owned.
    Session(Endpoint endpoint, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    /// Sets the timing. To be called before start().
    void setTiming(const Timing &timing) { m_timing = timing; }
    /// Sets an observer for the current and all later connections: see Connection::setTrafficObserver().
    void setTrafficObserver(Connection::TrafficObserver observer);
    /// Adds an observer for the current and all later connections: see Connection::addTrafficObserver().
    void addTrafficObserver(Connection::TrafficObserver observer);
    /// Sets a filter for the current and all later connections: see Connection::setCommandFilter(). The login does not
    /// pass the filter.
    void setCommandFilter(Connection::CommandFilter filter);
    /// Sets whether the session sends PINGs; default: true. PINGs must be disabled while a transaction may be open,
    /// because a PING would become part of it.
    void setPinging(bool isPinging) { m_isPinging = isPinging; }
    /// Sets the expected process at the endpoint; default: a server. To be called before start(), without sentinels.
    void setPeer(Peer peer) { m_peer = peer; }
    /// Sets a fixed server for later attempts, regardless of the sentinels: for a session that must lead to the same
    /// server as another one.
    void setFixedEndpoint(const Endpoint &endpoint) { m_fixedEndpoint = endpoint; }
    ~Session() override;

    void start();
    /// Ends the connection and stays Stopped.
    void stop();
    /// Connects at once instead of waiting. Has an effect only in the state Waiting.
    void retryNow();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const Endpoint &endpoint() const { return m_endpoint; }
    /// Returns the server of the current or last connection: the endpoint itself, or with sentinels the primary.
    /// Returns the endpoint before the first connection.
    [[nodiscard]] const Endpoint &connectedEndpoint() const { return m_connectedEndpoint; }
    /// Returns the connection while Ready, otherwise null: Connection::send() sends commands over it, and
    /// exchange::LoopDriver runs an exchange over it. Owned by the session; invalid after a change of the state.
    [[nodiscard]] Connection *connection() const { return m_connection.get(); }
    /// Returns the last known data of the server; kept while disconnected.
    [[nodiscard]] const resp::ServerInfo &server() const { return m_server; }
    /// Returns why the last attempt or connection ended; absent while connected.
    [[nodiscard]] const std::optional<base::Error> &lastError() const { return m_lastError; }
    /// Returns the untrusted certificate, if it is the reason why the last attempt failed.
    [[nodiscard]] const std::optional<UntrustedCertificate> &refusedCertificate() const { return m_refused; }
    /// Returns whether the last attempt failed and needs a user action; see Dialer.
    [[nodiscard]] bool needsUserAction() const { return m_needsUserAction; }
    /// Returns the time of the last reply to a handshake or a PING. Absent before the first reply.
    [[nodiscard]] std::optional<base::MonotonicTime> lastAnswer() const { return m_lastAnswer; }
    /// Returns the time of the next attempt, while Waiting. max() if it needs retryNow().
    [[nodiscard]] base::MonotonicTime nextAttempt() const { return m_nextAttempt; }
    /// Returns the last measured round trip; absent before the first.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> roundTrip() const { return m_roundTrip; }
    /// Returns the number of commands sent over all accepted connections, including their handshakes.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void stateChanged(latchkey::net::Session::State state);
    void roundTripMeasured(std::chrono::nanoseconds roundTrip);

private:
    void dial();
    void adopt(DialResult<Connection> dialled);
    void lose(const base::Error &error);
    [[nodiscard]] std::chrono::milliseconds nextWait(base::ErrorKind kind);
    void ping();
    void followPrimary();
    [[nodiscard]] bool isFormerPrimary(const Endpoint &endpoint) const;
    void setState(State state);

    const Endpoint m_endpoint;
    Endpoint m_connectedEndpoint;
    std::optional<Endpoint> m_fixedEndpoint;
    Peer m_peer = Peer::Server;
    std::shared_ptr<SentinelWatch> m_sentinels; ///< Set while the session is started; null without sentinels.
    std::optional<HostPort> m_dialledPrimary;   ///< Address of the primary at which the current attempt started.
    Timing m_timing;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    Backoff m_backoff;
    QTimer m_retryTimer;
    QTimer m_pingTimer;
    std::unique_ptr<Dialer> m_dialer;
    std::unique_ptr<Connection> m_connection;
    Connection::TrafficObserver m_trafficObserver;
    Connection::CommandFilter m_commandFilter;
    bool m_isPinging = true;
    State m_state = State::Stopped;
    resp::ServerInfo m_server;
    std::optional<base::Error> m_lastError;
    std::optional<UntrustedCertificate> m_refused;
    bool m_needsUserAction = false;
    bool m_wasAccepted = false;      ///< Whether the server has ever accepted this session.
    int m_refusalsSinceAccepted = 0; ///< Number of refused passwords since then.
    base::MonotonicTime m_nextAttempt;
    std::optional<base::MonotonicTime> m_lastAnswer;
    std::optional<std::chrono::nanoseconds> m_roundTrip;
    quint64 m_earlierCommands = 0;
    std::vector<Connection::TrafficObserver> m_moreTrafficObservers;
};

} // namespace latchkey::net

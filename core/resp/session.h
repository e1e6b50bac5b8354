#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/resp/backoff.h"
#include "core/resp/dialer.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::resp {

/// Stays connected to one server: connects, notices when the connection ends, waits, connects again.
///
///     Stopped → Connecting → Ready → (connection lost) → Waiting → Connecting → …
///                   └──────→ (refused, timed out) ──────────┘
///
/// Waits grow and are spread (see Backoff); the view of the watching user is not touched by any of it. A server that
/// wants a password, or another one, is not asked again by itself: that would only fill its log, or lock the user out;
/// nor is an SSH host that has not let us in, which would ask the user again.
/// While Ready, a PING a second measures the round trip and finds a peer that has gone silent. Owned by the code that
/// watches the server. Requests are not repeated: their outcome belongs to who sent them.
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
        /// Wait before the next attempt after a refused password: the server's users may have been changed.
        std::chrono::milliseconds passwordWait = std::chrono::seconds(30);
    };

    /// Clock and random source are not owned.
    Session(Endpoint endpoint, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    /// Before start().
    void setTiming(const Timing &timing) { m_timing = timing; }
    /// For the connection that there is, and for those that follow it: see Connection::setTap().
    void setTap(Connection::Tap tap);
    /// Likewise: see Connection::addTap().
    void addTap(Connection::Tap tap);
    /// Likewise: see Connection::setGate(). What logs in goes past it.
    void setGate(Connection::Gate gate);
    /// Whether it sends its PING, unless set. Not while somebody may leave a transaction open: it would be part of
    /// that.
    void setPinging(bool isPinging) { m_isPinging = isPinging; }
    ~Session() override;

    void start();
    /// Ends the connection and stays Stopped.
    void stop();
    /// Does not wait any longer: connects at once. Only means something while Waiting.
    void retryNow();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const Endpoint &endpoint() const { return m_endpoint; }
    /// The connection while Ready, else null. Owned by the session; gone when the state changes.
    [[nodiscard]] Connection *connection() const { return m_connection.get(); }
    /// What the server last said of itself; kept while it is away.
    [[nodiscard]] const ServerInfo &server() const { return m_server; }
    /// Why the last attempt or connection ended; empty while all is well.
    [[nodiscard]] const std::optional<base::Error> &lastError() const { return m_lastError; }
    /// The certificate that was not trusted, where that is why the last attempt came to nothing.
    [[nodiscard]] const std::optional<SeenCertificate> &refusedCertificate() const { return m_refused; }
    /// The last attempt came to nothing because of something that a person has to do, on the way there; see Dialer.
    [[nodiscard]] bool needsPerson() const { return m_needsPerson; }
    /// When the server last answered a handshake or a PING; nothing before the first.
    [[nodiscard]] std::optional<base::MonotonicTime> lastAnswer() const { return m_lastAnswer; }
    /// When the next attempt starts, while Waiting; max(): none does until retryNow().
    [[nodiscard]] base::MonotonicTime nextAttempt() const { return m_nextAttempt; }
    /// The last one measured; nothing before the first.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> roundTrip() const { return m_roundTrip; }
    /// Commands sent over all connections so far, those of the handshakes included.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void stateChanged(latchkey::resp::Session::State state);
    void roundTripMeasured(std::chrono::nanoseconds roundTrip);

private:
    void dial();
    void adopt(Dialled<Connection> dialled);
    void lose(const base::Error &error);
    void ping();
    void setState(State state);

    const Endpoint m_endpoint;
    Timing m_timing;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    Backoff m_backoff;
    QTimer m_retry;
    QTimer m_ping;
    std::unique_ptr<Dialer> m_dialer;
    std::unique_ptr<Connection> m_connection;
    Connection::Tap m_tap;
    Connection::Gate m_gate;
    bool m_isPinging = true;
    State m_state = State::Stopped;
    ServerInfo m_server;
    std::optional<base::Error> m_lastError;
    std::optional<SeenCertificate> m_refused;
    bool m_needsPerson = false;
    base::MonotonicTime m_nextAttempt;
    std::optional<base::MonotonicTime> m_lastAnswer;
    std::optional<std::chrono::nanoseconds> m_roundTrip;
    quint64 m_earlierCommands = 0;
    std::vector<Connection::Tap> m_moreTaps;
};

} // namespace latchkey::resp

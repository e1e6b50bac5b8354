#pragma once

#include "core/foundation/process/child.h"
#include "core/playground/playground/clientprotocol.h"
#include "core/redis/net/endpoint.h"

#include <QObject>

#include <memory>
#include <optional>

namespace latchkey::playground {

/// A client that runs as an operating-system process. It acquires, extends and releases locks, reports its belief, and
/// can be killed at any time.
///
///     Starting → Idle ⇄ Working ⇄ Holding      any of them → Dead
///
/// This object stores the client's belief, never the server's state. A holder that was paused past its lease still
/// believes that it holds the lock. A crash is SIGKILL, so nothing is released. The process ends with this object and
/// with this program. Owned by the playground.
class ClientProcess final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientProcess)

public:
    enum class State : quint8 {
        Starting,
        Idle,
        Working, ///< An order is not yet answered.
        Holding, ///< The client believes that it holds the lock.
        Dead,    ///< The process has ended.
    };
    Q_ENUM(State)

    /// The client's belief about its lock. If its recipe requires it, the client renews the lease and detects a lost
    /// lock automatically.
    struct Hold
    {
        QString recipe;
        base::Key key;
        base::OwnerToken token; ///< Empty for recipes without tokens.
        std::optional<qint64> fencing;
        std::optional<std::chrono::milliseconds> lease;
        base::MonotonicTime validUntil =
            base::MonotonicTime::max(); ///< On the monotonic clock, which all processes share. max: no lease.
        base::MonotonicTime since;      ///< Time at which the client reported the acquisition.
    };

    /// Creates a client without a process. `program`: path of latchkey-cli.
    ClientProcess(QString program, QString name, QObject *parent = nullptr);
    ~ClientProcess() override;

    /// Starts the process on a server. A previous process is killed and its belief is discarded, because it used
    /// another server. If the program cannot be run, the client is Dead on return.
    void start(const net::Endpoint &server);
    /// Starts the process on several servers, for a recipe that uses all of them. The addresses are visible on the
    /// command line.
    void start(const std::vector<net::Endpoint> &servers);
    /// Acquires a lock; only while Idle. `wait`: how long to retry a busy lock.
    void acquire(const QString &recipe, const locks::LockOptions &options, std::chrono::milliseconds wait = {});
    /// Releases the lock; only while Holding.
    void release();
    /// Extends the lease; only while Holding.
    void extend(base::Lease lease);
    /// Sets whether the reply to the client's next command gets lost.
    void loseNextReply(bool isLosing);
    /// Gives any other order; only while Idle or Holding, except for an order with isImmediate().
    void sendOrder(const ClientOrder &order);
    /// Kills the process with SIGKILL. The client cannot release anything.
    void crash();
    /// Stops and continues the process with SIGSTOP and SIGCONT. The client keeps its belief.
    void pause();
    void resume();

    [[nodiscard]] const QString &name() const { return m_name; }
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isPaused() const { return m_isPaused; }
    /// Returns whether a reply loss is requested and has not happened yet.
    [[nodiscard]] bool isLosingReply() const { return m_isLosingReply; }
    /// Returns the process id; 0 if there is no process.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }
    /// Returns the client's belief. A dead client keeps its last belief until the next start().
    [[nodiscard]] const std::optional<Hold> &hold() const { return m_hold; }
    /// Returns the last acquire order from any source; absent before the first.
    [[nodiscard]] const std::optional<AcquireOrder> &attempt() const { return m_attempt; }
    /// Returns the client's last report about an order, a loss or its readiness, for users.
    [[nodiscard]] const std::optional<ClientReport> &lastReport() const { return m_lastReport; }

Q_SIGNALS:
    /// Emitted when the state, the hold or the pause state changes.
    void changed();
    void reported(const latchkey::playground::ClientReport &report);
    /// Emitted when the client receives an order.
    void ordered(const latchkey::playground::ClientOrder &order);

private:
    void launch(const QStringList &arguments, const QByteArray &url);
    void read();
    void handle(const ClientReport &report);
    void believe(const ClientReport &report);
    void setState(State state);
    void ended();

    const QString m_program;
    const QString m_name;
    std::unique_ptr<process::Child> m_process; ///< Null before the start.
    QByteArray m_unread;                       ///< Incomplete line of a report.
    State m_state = State::Starting;
    bool m_isPaused = false;
    bool m_isLosingReply = false;
    std::optional<AcquireOrder> m_attempt;
    std::optional<Hold> m_hold;
    std::optional<ClientReport> m_lastReport;
};

} // namespace latchkey::playground

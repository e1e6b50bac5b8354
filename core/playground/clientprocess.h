#pragma once

#include "core/children/child.h"
#include "core/playground/clientprotocol.h"
#include "core/resp/endpoint.h"

#include <QObject>

#include <memory>
#include <optional>

namespace latchkey::playground {

/// A client as an operating-system process: it is told to acquire, extend and release, says what it believes, and can
/// be killed in the middle of it.
///
///     Starting → Idle ⇄ Working ⇄ Holding      any of them → Dead
///
/// What is kept here is the client's belief, never the server's word: a holder that was paused past its lease still
/// believes. A crash is SIGKILL, so nothing is released. The process ends with this object and with this program.
/// Owned by the playground.
class ClientProcess final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientProcess)

public:
    enum class State : quint8 {
        Starting,
        Idle,
        Working, ///< An order has been given and not been answered.
        Holding, ///< It believes that it holds the lock.
        Dead,    ///< The process has ended.
    };
    Q_ENUM(State)

    /// What the client believes of the lock that it holds. Where its recipe says so, it renews the lease by itself, and
    /// finds out by itself that the lock is lost.
    struct Hold
    {
        QString recipe;
        base::Key key;
        base::OwnerToken token; ///< Empty for recipes without.
        std::optional<qint64> fencing;
        std::optional<std::chrono::milliseconds> lease;
        base::MonotonicTime validUntil =
            base::MonotonicTime::max(); ///< By this process's clock, which is the same one.
        base::MonotonicTime since;      ///< When it wrote that it had acquired the lock.
    };

    /// program: latchkey-cli.
    ClientProcess(QString program, QString name, QObject *parent = nullptr);
    ~ClientProcess() override;

    /// Starts its process on that server. One that there is already is killed, and what it believed is forgotten: it
    /// had another server. Where the program cannot be run, the client is Dead when this returns.
    void start(const resp::Endpoint &server);
    /// The same on several, for a recipe that uses them all. They are told on the command line, for everybody to read.
    void start(const std::vector<resp::Endpoint> &servers);
    /// Only while Idle; wait: how long to retry a busy lock.
    void acquire(const QString &recipe, const locks::LockOptions &options, std::chrono::milliseconds wait = {});
    /// Only while Holding.
    void release();
    /// Only while Holding.
    void extend(base::Lease lease);
    /// The reply to the next command that it sends never reaches it, or is to reach it after all.
    void loseNextReply(bool isToGetLost);
    /// Any other order: only while Idle or Holding, but for one that is carried out aside.
    void tell(const ClientOrder &order);
    /// SIGKILL: it has no chance to release anything.
    void crash();
    /// SIGSTOP and SIGCONT: it sleeps through whatever happens, and wakes up believing what it believed.
    void pause();
    void resume();

    [[nodiscard]] const QString &name() const { return m_name; }
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isPaused() const { return m_isPaused; }
    /// The next reply is to get lost, and none has yet.
    [[nodiscard]] bool isLosingReply() const { return m_isLosingReply; }
    /// 0 where there is none.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }
    [[nodiscard]] const std::optional<Hold> &hold() const { return m_hold; }
    /// The acquire that it was told last, no matter who told it; nothing before the first.
    [[nodiscard]] const std::optional<AcquireOrder> &attempt() const { return m_attempt; }
    /// The last thing that it said, for people.
    [[nodiscard]] const std::optional<ClientReport> &lastReport() const { return m_lastReport; }

Q_SIGNALS:
    /// Its state, its hold or whether it is paused.
    void changed();
    void reported(const latchkey::playground::ClientReport &report);
    /// Somebody has told it to do that.
    void told(const latchkey::playground::ClientOrder &order);

private:
    void launch(const QStringList &arguments, const QByteArray &url);
    void read();
    void handle(const ClientReport &report);
    void believe(const ClientReport &report);
    void setState(State state);
    void ended();

    const QString m_program;
    const QString m_name;
    std::unique_ptr<children::Child> m_process; ///< Null before the start.
    QByteArray m_unread;                        ///< The beginning of a report.
    State m_state = State::Starting;
    bool m_isPaused = false;
    bool m_isLosingReply = false;
    std::optional<AcquireOrder> m_attempt;
    std::optional<Hold> m_hold;
    std::optional<ClientReport> m_lastReport;
};

} // namespace latchkey::playground

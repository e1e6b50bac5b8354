#pragma once

#include "app/cli/leaserenewal.h"
#include "app/cli/lockoperation.h"
#include "app/cli/terminal.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/process/child.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <csignal>

namespace latchkey::cli {

/// A run of a program under a lock. The program is ended if the lock is lost.
///
///     running ──(it ends)──→ over
///        └──(the lock is lost, or about to be)──→ ending: SIGTERM, after the grace SIGKILL ──(its group is gone)──→
///        over
///
/// While the program runs, the event loop renews a lock with a lease, or only checks the lock if its recipe cannot
/// extend. If the program has already ended when a loss is noticed, the loss is ignored. Signals to this process are
/// forwarded to the group of the program. If the program is stopped from the terminal, this process stops too, so that
/// a shell sees one job. Owned by the command `run`, which acquires the lock before and releases it afterwards.
class GuardedRun final : public QObject
{
    Q_DISABLE_COPY_MOVE(GuardedRun)

public:
    /// Signals that are forwarded to the program, besides those that stop and continue it.
    static constexpr std::array forwarded {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

    /// `operation`, `program`, `unixSignals`: not owned. The program must run in its own group. The signals must be
    /// those above and SIGCHLD, SIGTSTP, SIGCONT. `grace`: time from SIGTERM to SIGKILL after a loss of the lock.
    GuardedRun(const LockOperation &operation, const locks::Acquisition &hold, process::Child &program,
               base::UnixSignals &unixSignals, std::chrono::milliseconds grace);
    ~GuardedRun() override;

    /// Runs the event loop until the program is over. Returns its exit code in the shell's convention.
    [[nodiscard]] int wait();

    /// Returns the loss of the lock for which the program was ended. Absent without a loss.
    [[nodiscard]] const std::optional<locks::Loss> &loss() const { return m_loss; }
    /// Returns the end of the lock's validity, according to its last renewal.
    [[nodiscard]] base::MonotonicTime validUntil() const
    {
        return m_renewal ? m_renewal->watchdog().validUntil() : base::MonotonicTime::max();
    }

    /// Returns the servers at which to release the lock; in a cluster, the node that serves its key now.
    [[nodiscard]] std::vector<net::Endpoint> endpoints() const
    {
        return m_renewal ? m_renewal->endpointsOf(m_operation.key) : m_operation.servers;
    }

private:
    void holdOn(const locks::Acquisition &hold);

    void received(int number);
    void programEnded(int exitCode);
    void programStopped(int number);
    void stopWithProgram(int number, pid_t target);
    void continueProgram();

    void lose(const locks::Loss &loss);
    void reportKept();
    void waitForGroup();
    void finish();

    const LockOperation &m_operation; // Not owned.
    process::Child &m_program;        // Not owned.
    base::UnixSignals &m_unixSignals; // Not owned.
    Terminal m_terminal;
    const std::chrono::milliseconds m_grace;
    std::unique_ptr<LeaseRenewal> m_renewal; ///< For a hold with a lease.
    QTimer m_killTimer;                      ///< Active during the grace time.
    QTimer m_groupPoll;                      ///< Active while children of the ended program exist.
    QString m_reportedFailover;              ///< Last failover after which the kept lock was reported.
    std::optional<locks::Loss> m_loss;
    std::optional<int> m_exitCode;
    bool m_isToStop = false;      ///< Whether this process has received SIGTSTP and stops when the program has stopped.
    bool m_wantsTerminal = false; ///< Whether the program was stopped because it is not in the foreground.
};

} // namespace latchkey::cli

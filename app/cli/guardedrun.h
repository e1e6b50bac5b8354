#pragma once

#include "app/cli/leaserenewal.h"
#include "app/cli/lockoperation.h"
#include "app/cli/terminal.h"
#include "core/base/unixsignals.h"
#include "core/children/child.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <csignal>

namespace latchkey::cli {

/// A program that runs while a lock is held, and no longer.
///
///     running ──(it ends)──→ over
///        └──(the lock is lost, or about to be)──→ ending: SIGTERM, after the grace SIGKILL ──(its group is gone)──→
///        over
///
/// Beside it, on the event loop, the lock is renewed where its recipe can extend; a hold that cannot be extended is
/// looked at instead. A program that has ended by itself has ended, also where that is noticed late and the lease is
/// over by then. Signals that this process gets go to the program's group. When the program is stopped from the
/// terminal, this process stops with it, so that a shell sees one job. Owned by the command `run`, which has acquired
/// the lock and releases it afterwards.
class GuardedRun final : public QObject
{
    Q_DISABLE_COPY_MOVE(GuardedRun)

public:
    /// The signals that are handed on to the program, beside those that stop and continue.
    static constexpr std::array forwarded {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

    /// operation, program, unixSignals: not owned. The program runs, in a group of its own; the signals are those above
    /// and SIGCHLD, SIGTSTP, SIGCONT. grace: from SIGTERM to SIGKILL once the lock is lost.
    GuardedRun(const LockOperation &operation, const locks::Acquisition &hold, children::Child &program,
               base::UnixSignals &unixSignals, std::chrono::milliseconds grace);
    ~GuardedRun() override;

    /// Runs the event loop until the program is over; gives its exit code, as shells have it.
    [[nodiscard]] int wait();

    /// How the lock was lost, for which the program was ended; nothing where it was not.
    [[nodiscard]] const std::optional<locks::Loss> &loss() const { return m_loss; }
    /// Until when the lock may be relied on, by its last renewal.
    [[nodiscard]] base::MonotonicTime validUntil() const
    {
        return m_renewal ? m_renewal->keeper().validUntil() : base::MonotonicTime::max();
    }

private:
    void holdOn(const locks::Acquisition &hold);

    void received(int number);
    void programEnded(int exitCode);
    void programStopped(int number);
    void stopAlong(int number, pid_t whom);
    void continueProgram();

    void lose(const locks::Loss &loss);
    void waitForGroup();
    void finish();

    const LockOperation &m_operation; // Not owned.
    children::Child &m_program;       // Not owned.
    base::UnixSignals &m_unixSignals; // Not owned.
    Terminal m_terminal;
    const std::chrono::milliseconds m_grace;
    std::unique_ptr<LeaseRenewal> m_renewal; ///< Of a hold with a lease.
    QTimer m_kill;                           ///< Runs during the grace.
    QTimer m_groupPoll;                      ///< Runs while children of the ended program remain.
    std::optional<locks::Loss> m_loss;
    std::optional<int> m_exitCode;
    bool m_isToStop = false;      ///< We were told to stop, and stop when the program has.
    bool m_wantsTerminal = false; ///< The program was stopped because it is not in the foreground.
};

} // namespace latchkey::cli

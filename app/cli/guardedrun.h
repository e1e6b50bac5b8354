#pragma once

#include "app/cli/lockoperation.h"
#include "app/cli/processgroup.h"
#include "app/cli/terminal.h"
#include "core/base/unixsignals.h"
#include "core/exchange/loopdriver.h"
#include "core/locks/renewing.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <csignal>

namespace latchkey::cli {

/// A program that runs while a lock is held, and no longer.
///
///     running ──(it ends)──→ over
///        └──(the lock is lost)──→ ending: SIGTERM, after the grace SIGKILL ──(its group is gone)──→ over
///
/// Beside it, on the event loop, the lock is renewed where its recipe can extend, over a connection of its own that is
/// made when the first renewal comes near; a lease that cannot be extended is watched instead. Signals that this
/// process gets go to the program's group. When the program is stopped from the terminal, this process stops with it,
/// so that a shell sees one job. Owned by the command `run`, which has acquired the lock and releases it afterwards.
class GuardedRun final : public QObject
{
    Q_DISABLE_COPY_MOVE(GuardedRun)

public:
    /// The signals that are handed on to the program, beside those that stop and continue.
    static constexpr std::array forwarded {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

    /// operation, unixSignals: not owned; the latter are those above and SIGCHLD, SIGTSTP, SIGCONT. program: running.
    /// grace: from SIGTERM to SIGKILL once the lock is lost.
    GuardedRun(const LockOperation &operation, locks::Acquisition hold, ProcessGroup program,
               base::UnixSignals &unixSignals, std::chrono::milliseconds grace);
    ~GuardedRun() override;

    /// Runs the event loop until the program is over; gives its exit code, as shells have it.
    [[nodiscard]] int wait();

    /// How the lock was lost while the program ran; nothing where it was not.
    [[nodiscard]] const std::optional<locks::Loss> &loss() const { return m_loss; }
    /// Until when the lock may be relied on, by its last renewal.
    [[nodiscard]] base::MonotonicTime validUntil() const { return m_hold.validUntil; }

private:
    void beginRenewing();
    void renew();
    void watchLease();
    void addSession(const resp::Endpoint &server);

    void received(int number);
    void programChanged();
    void programStopped(int number);
    void stopAlong(int number, pid_t whom);
    void continueProgram();

    void lose(const locks::Loss &loss);
    void waitForGroup();
    void finish();

    const LockOperation &m_operation; // Not owned.
    base::UnixSignals &m_unixSignals; // Not owned.
    locks::Acquisition m_hold;        ///< Its validity is that of the last renewal.
    ProcessGroup m_program;
    Terminal m_terminal;
    const std::chrono::milliseconds m_grace;
    std::vector<std::unique_ptr<resp::Session>> m_sessions; ///< One per server.
    std::unique_ptr<exchange::LoopDriver> m_driver;
    QTimer m_kill;      ///< Runs during the grace.
    QTimer m_groupPoll; ///< Runs while children of the ended program remain.
    std::optional<locks::Loss> m_loss;
    std::optional<int> m_exitCode;
    bool m_isToStop = false;      ///< We were told to stop, and stop when the program has.
    bool m_wantsTerminal = false; ///< The program was stopped because it is not in the foreground.
};

} // namespace latchkey::cli

#pragma once

#include "core/explore/programs/process.h"
#include "core/foundation/files/ownedfolder.h"

#include <QElapsedTimer>

#include <array>
#include <deque>
#include <map>

namespace latchkey::programs {

using TreeNodeId = quint32;

/// A pool of processes of one program. It starts processes and keeps paused ones for reuse.
///
/// A start takes about a hundred times as long as an event, so paused processes are kept for reuse, up to maxKept().
/// With a virtual clock, the next process is started ahead and reaches its first command while others are observed, and
/// most processes are forked from one that has started up: see Process::reachForkPoint().
/// Owned by the ObservationTree.
class ProcessPool final
{
public:
    /// Settings of a client's virtual clock.
    struct Clock
    {
        std::chrono::milliseconds ahead {}; ///< Lead of the date.
        /// Whether every second process gets another date and another monotonic time. Commands that depend on time then
        /// differ from those of the first process.
        bool differs = true;
    };

    /// Returns the maximum number of kept processes. Each needs six file descriptors here, and two more for each
    /// further server; a process of Node.js also takes 11 MB of memory.
    [[nodiscard]] static constexpr std::size_t maxKept(int servers)
    {
        constexpr std::size_t maxDescriptors = 576;
        return maxDescriptors / (4 + 2 * static_cast<std::size_t>(servers));
    }

    /// Creates a pool without processes. `clock`: absent for the machine's clock.
    ProcessPool(const Program &program, std::optional<Clock> clock);
    Q_DISABLE_COPY_MOVE(ProcessPool)

    /// Prepares the starts. Call before all other functions. Error (Local): no process can be started.
    [[nodiscard]] base::Result<void> open();
    [[nodiscard]] const std::optional<Clock> &clock() const { return m_clock; }
    /// Uses the machine's clock for all later processes.
    void useMachineClock();

    /// Starts a process and waits until the process is settled. `hasOtherClock`: whether the process gets the other
    /// clock; see Clock::differs. `begin`: time by which the process starts later than the others. Errors as those of
    /// Process.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> start(bool hasOtherClock, std::chrono::milliseconds begin);
    /// Returns a kept process for the node; null: none.
    [[nodiscard]] std::unique_ptr<Process> takeFrom(TreeNodeId node, bool hasOtherClock);
    /// Keeps a paused process for reuse at this node. At the maximum, one process is destroyed: the oldest kept one, or
    /// this one.
    void keep(TreeNodeId node, std::unique_ptr<Process> process);

    [[nodiscard]] qint64 starts() const { return m_starts; }
    /// Returns whether any process was forked from another.
    [[nodiscard]] bool hasForked() const { return m_forks != 0; }
    /// Returns the total time of all starts, each up to the first command.
    [[nodiscard]] std::chrono::nanoseconds timeOfStarts() const { return m_timeOfStarts; }

private:
    /// A process that forks others, of one start time and clock.
    struct Forker
    {
        bool hasOtherClock = false;
        std::chrono::milliseconds begin {};
        std::unique_ptr<Process> process;
        int forks = 0;
    };

    [[nodiscard]] bool mayFork() const;
    [[nodiscard]] base::Result<std::unique_ptr<Process>> launch(bool hasOtherClock, std::chrono::milliseconds begin);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> launchNew(bool hasOtherClock, std::chrono::milliseconds begin,
                                                                   bool servesForks);
    void launchAhead(bool hasOtherClock);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> launchFrom(Forker &forker);
    [[nodiscard]] Forker *findForker(bool hasOtherClock, std::chrono::milliseconds begin);
    [[nodiscard]] base::Result<void> addForker(bool hasOtherClock, std::chrono::milliseconds begin);
    [[nodiscard]] QString nextSocket();

    struct PausedProcess
    {
        TreeNodeId node = 0;
        qint64 number = 0; ///< Number of this process among all that were kept.
        std::unique_ptr<Process> process;
        QElapsedTimer since;
    };

    const Program &m_program; // Not owned.
    const std::size_t m_maxKept;
    std::optional<Clock> m_clock;
    std::optional<process::OrphanReaper> m_reaper; ///< Outlives all processes.
    std::unique_ptr<files::OwnedFolder> m_folder;  ///< Folder for Unix sockets and the Node.js script.
    std::deque<PausedProcess> m_kept;              ///< Most recent last.
    std::array<std::unique_ptr<Process>, 2>
        m_startedAhead;                                  ///< Processes started ahead, without and with the other clock.
    std::deque<Forker> m_forkers;                        ///< Most recent last.
    std::map<std::chrono::milliseconds, int> m_startsAt; ///< Number of starts at each later time.
    bool m_cannotFork = false;                           ///< Whether a process of the program could not fork others.
    bool m_hasStartedOther = false;                      ///< Whether a process with the other clock was started.
    qint64 m_forks = 0;
    qint64 m_keeps = 0;
    qint64 m_launches = 0;
    qint64 m_starts = 0;
    std::chrono::nanoseconds m_timeOfStarts {};
};

} // namespace latchkey::programs

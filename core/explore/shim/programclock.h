#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/error.h"
#include "core/foundation/process/launch.h"

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::shim {

struct Page;

/// A virtual clock for external programs such as redis-server or Python programs; it advances only on moveTo().
///
/// A library is preloaded into the programs (LD_PRELOAD). It replaces clock_gettime() and timed waits by versions that
/// use a memory page shared with this object. No time passes before moveTo(): after `PX 5000`, PTTL stays 5000. A sleep
/// of one hour ends when the clock has advanced by one hour. No timeout ends on the machine's clock. Each reading of a
/// process is one tick later than its last. Without ticks, a program that polls for a later time would hang (uuid1 does
/// that). With the same readings, a process sees the same times in every run.
///
/// Covered are calls through the C library of a dynamically linked program: clock_gettime (not processor time),
/// gettimeofday, time, timespec_get, ftime; nanosleep, clock_nanosleep, usleep, sleep; poll, ppoll, select, pselect,
/// epoll_wait, epoll_pwait, epoll_pwait2; sigtimedwait; sem_timedwait, sem_clockwait; condition variables;
/// pthread_mutex_timedlock and -clocklock; futex waits by syscall(); functions of C11 and C++ that use these. A wait is
/// a cancellation point. Timers too: alarm, ualarm, setitimer(ITIMER_REAL), timer_create() with a signal to the
/// process, timerfd. A timerfd is a pipe to which this object writes.
///
/// Not covered but detected by usesOnlyVirtualClock(), which is false for programs that do not use the library: static
/// programs, programs with musl, Go programs (which may load the library but do not use it), setuid programs, programs
/// started with their own environment, and programs in another PID namespace.
///
/// Not covered but detected by hasMachineTimers(), which is true for a process that has used a timer or a wait on the
/// machine's clock: timer_create() with a thread, SO_RCVTIMEO and SO_SNDTIMEO, pthread_rwlock_timed…,
/// pthread_timedjoin_np, mq_timed….
///
/// Neither covered nor detected: rdtsc; io_uring and aio; system calls without the C library; waits inside the C
/// library (name resolution); file times; setting the clock; robust mutexes and mutexes with priorities, which wait
/// without a timeout; a condition variable shared with a process without this clock. Between vfork() and exec, a child
/// advances the ticks of its parent. A wait interrupted by a signal handler ends with EINTR as usual. But if the clock
/// advances at that moment and the wait is not due, the wait continues. A handler that leaves a wait by longjmp() does
/// not remove its deadline.
///
/// With showIds(), getpid(), getppid() and gettid() return other IDs than the kernel's, which kill(), waitpid() and
/// similar functions accept. fork() returns the kernel's.
///
/// Time slices stand still as well. Python's threads switch only when one waits, not every 5 ms, so a thread that
/// computes forever blocks the others. A thread that waits for its turn has a timer like any other wait. So nextTimer()
/// is meaningful only if every thread of the process sleeps.
///
/// Owned by the code that starts the programs. The clock starts and ends no process. For a program that outlives this
/// object, time stands still forever, so the programs must end with this process. The page is anonymous memory (memfd)
/// and is freed with the last process that maps it. Not thread-safe.
class ProgramClock final : public base::Clock
{
public:
    /// Clock that ends timed waits.
    enum class Waits : quint8 {
        Controlled, ///< The virtual clock.
        Real, ///< The machine's clock, for servers, so that their event loop runs. Readings still show the virtual
              ///< clock.
    };

    /// The view of the clock for one client and all its descendants.
    struct View
    {
        std::chrono::nanoseconds ahead {}; ///< Lead of the date; may be negative. Monotonic clocks are not affected.
        std::chrono::nanoseconds tick = std::chrono::microseconds(1); ///< Advance per reading, see above; 0: none.
        Waits waits = Waits::Controlled;
    };
    using ViewNumber = std::uint32_t;
    /// View for redis-server and similar programs: TTLs are exact, and the server continues to serve its clients.
    static constexpr View server {{}, {}, Waits::Real};

    /// A waiting thread with its deadline, or a timer of a process.
    struct Timer
    {
        pid_t process = 0;
        pid_t thread = 0; ///< Negative: a number of a timer of the process.
        base::MonotonicTime at;
        /// Number that grows with each wait of the thread. A runtime that reports its timers (see
        /// preload/runtimereports.h) waits for the earliest one; then this is the number of the one that began last.
        quint64 number = 0;

        friend bool operator==(const Timer &, const Timer &) = default;
    };

    /// A port of 127.0.0.1 that a forked process sees, and its own.
    struct Redirection
    {
        quint16 shown = 0;
        quint16 real = 0;
    };

    /// File name of the library, which is in the folder of the programs.
    static constexpr auto libraryName = QLatin1String("liblatchkey-clock.so");

    /// Creates a clock. `library`: path of the library. `now`, `date`: initial times. Error (Local): the file does not
    /// exist, its path cannot be preloaded, or memory is not available.
    [[nodiscard]] static base::Result<std::unique_ptr<ProgramClock>> create(const QString &library,
                                                                            base::MonotonicTime now,
                                                                            base::WallTime date);
    ~ProgramClock() override;

    /// Adds a view for one client and all its processes. At most 256 views; aborts if there are more.
    [[nodiscard]] ViewNumber addView(const View &view);
    /// Adds the environment variables and the descriptor to `launch`, so that the process uses this clock if possible:
    /// see usesOnlyVirtualClock(). Call after the rest of the environment is complete; existing preloaded libraries are
    /// kept.
    void show(ViewNumber view, process::Launch &launch) const;
    /// Shows the programs other process IDs than the kernel's, long enough to be recognised as a token; see
    /// shim::shownId(). Call before the first process. `first`: number of the first ID, different for each clock.
    void showIds(std::uint32_t first, bool isOther);

    /// Makes the process that `launch` starts fork further processes of its program, as soon as it creates its first
    /// stream socket: see preload/forkserver.h. Call after show(). `descriptor`: a socket, which the process inherits.
    void serveForks(int descriptor, process::Launch &launch) const;
    /// Creates the clock of a process that this clock's process forks, with the same views and IDs. `now`, `date`:
    /// different ones only if the process has not read its clock. Errors as create().
    [[nodiscard]] base::Result<std::unique_ptr<ProgramClock>> forForked(base::MonotonicTime now,
                                                                        base::WallTime date) const;
    /// Redirects the connections of a forked process, which sees the addresses of the process that forked it. Call
    /// before the fork.
    void redirect(const std::vector<Redirection> &ports, const QByteArray &shownPath, const QByteArray &realPath);
    /// Returns the descriptor of the page.
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    /// Returns whether a descendant of a forked process runs without its clock.
    [[nodiscard]] bool hasLostDescendant() const;

    /// Returns the number of IDs of processes and threads that programs have seen so far; see showIds().
    [[nodiscard]] quint32 idsShown() const;
    /// Returns whether a process has sent a signal to a process that does not use this clock, or has waited for one,
    /// by an ID as those of showIds().
    [[nodiscard]] bool hasSoughtProcess() const;
    /// Changes the lead of the client's date.
    void setAhead(ViewNumber view, std::chrono::nanoseconds ahead);

    [[nodiscard]] base::MonotonicTime now() const override { return m_now; }
    /// Returns the date of the clock, without any client's lead.
    [[nodiscard]] base::WallTime wallNow() const override;
    /// Advances the clock and wakes all threads that are due. The clock never goes back: an earlier time has no effect.
    void moveTo(base::MonotonicTime time);
    /// Advances the clock, but wakes no thread.
    void moveWithoutWaking(base::MonotonicTime time);
    /// Wakes the thread whose wait was over first. Returns whether any wait is over.
    bool wakeNext();

    /// Returns whether the process uses this clock: the library has registered that process, and the process still runs
    /// the same program. A program is under control from before its main().
    [[nodiscard]] bool usesOnlyVirtualClock(pid_t process) const;
    /// Returns whether the process has used a timer or a wait on the machine's clock, although it is under control.
    [[nodiscard]] bool hasMachineTimers(pid_t process) const;
    /// Returns the number of clock readings by the processes of a client, without the ignored readings of CPython. If
    /// two results are equal, the client has not used the clock in between. Ended processes do not count any more, so
    /// the number can decrease.
    [[nodiscard]] quint64 readings(ViewNumber view) const;
    /// Returns the processes of a client that are under control, including descendants.
    [[nodiscard]] std::vector<pid_t> processes(ViewNumber view) const;
    /// Returns the processes that have registered themselves. Some may have ended: see usesOnlyVirtualClock().
    [[nodiscard]] std::vector<pid_t> registered() const;
    /// Returns the timed waits and timers of all processes under control, earliest first. A due wait remains in the
    /// list until its thread has woken up.
    [[nodiscard]] std::vector<Timer> timers() const;
    /// Returns the earliest deadline of a process; absent: no timed wait.
    [[nodiscard]] std::optional<base::MonotonicTime> nextTimer(pid_t process) const;
    /// Returns the number of processes and waits that did not fit into the page, because there were thousands at once.
    /// They are unknown to the other functions.
    [[nodiscard]] int refusals() const;

private:
    ProgramClock(QByteArray library, int descriptor, quint64 inode, Page &page);

    const QByteArray m_library;
    const int m_descriptor;
    const quint64 m_inode; ///< Identifies the page among the mappings of a process.
    Page &m_page;          ///< Unmapped by the destructor.
    quint64 m_nonce;
    const std::int64_t m_dateOffset; ///< Copy, because programs can change the page.
    base::MonotonicTime m_now;       ///< Copy, because programs can change the page.
    ViewNumber m_views = 0;
};

} // namespace latchkey::shim

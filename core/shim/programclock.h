#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/children/launch.h"

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::shim {

struct Page;

/// The clock of programs that are not ours, such as redis-server or somebody's Python: it goes only when it is told to.
///
/// A library is preloaded into them (LD_PRELOAD), whose clock_gettime() and whose timed waits go by a page of memory
/// that this object shares with them. Nothing passes until moveTo(): `PX 5000` is PTTL 5000 for as long as one likes, a
/// sleep of an hour lasts until the clock has been moved by an hour, and no time-out ever ends by the machine's time.
/// Each reading of a process is one tick later than its last: a program that waits in a loop for the next moment
/// would hang otherwise (uuid1 does), and for the same readings it sees the same time in every run.
///
/// Covered is what goes through the C library of a program that is linked with it: clock_gettime (not processor time),
/// gettimeofday, time, timespec_get, ftime; nanosleep, clock_nanosleep, usleep, sleep; poll, ppoll, select, pselect,
/// epoll_wait, epoll_pwait, epoll_pwait2; sem_timedwait, sem_clockwait; condition variables; pthread_mutex_timedlock
/// and -clocklock; futexes that are waited for by syscall(); what C11 and C++ make of these. A wait is a cancellation
/// point.
///
/// Not covered, and known: isUnderControl() is false for what never loads the library: static programs, those of
/// musl, of Go (which has the library and does not use it), setuid ones, those that were started with an environment of
/// their own, and what is in another PID namespace.
///
/// Not covered, and known: hasMachineTimers() is true for a process that has set a timer, or has waited in a way, which
/// ends by the machine's time: alarm, setitimer, timer_settime, timerfd_settime, SO_RCVTIMEO and SO_SNDTIMEO,
/// sigtimedwait, pthread_rwlock_timed…, pthread_timedjoin_np, mq_timed….
///
/// Not covered, and not noticed: rdtsc; io_uring and aio; system calls without the C library; what the C library waits
/// for inside itself (names that are looked up); dates of files; setting the clock; robust mutexes and those with
/// priorities, which are waited for without end; a condition variable that is shared with a process which has no such
/// clock. Between vfork() and exec a child counts its parent's ticks. A wait that a signal's handler interrupts ends
/// with EINTR as always; where the clock moves at that very moment without the wait's being due, it goes on instead. A
/// handler that leaves a wait by longjmp() leaves its deadline behind.
///
/// What a program does by time slices stands still as well: Python's threads hand over when they wait, and no more
/// every 5 ms, so that one which computes without end keeps the others from running. While they go for that turn it is
/// a timer like any other; nextTimer() is worth reading when every thread of the process sleeps.
///
/// Owned by the code that starts the programs; what outlives it stands still for ever, so they are started to end with
/// us. Nothing is left of it: the page is memory without a name (memfd), which ends with the last process that has it.
/// It starts nothing and ends nothing. One thread.
class ProgramClock final : public base::Clock
{
public:
    /// How a wait with a time-out ends.
    enum class Waits : quint8 {
        Controlled, ///< By what it waits for, or by this clock.
        Real, ///< Or by the machine's: for a server, whose event loop has to come round. What it reads is this clock's.
    };

    /// How a client sees the clock: it and all that it starts.
    struct View
    {
        std::chrono::nanoseconds ahead {}; ///< Its date; what measures is not touched by that. May be negative.
        std::chrono::nanoseconds tick = std::chrono::microseconds(1); ///< See above; 0: it stands still.
        Waits waits = Waits::Controlled;
    };
    using ViewNumber = std::uint32_t;
    /// For redis-server and the like: TTLs are exact, and it serves its clients by itself.
    static constexpr View server {{}, {}, Waits::Real};

    /// A thread that waits for something, until then at the latest.
    struct Timer
    {
        pid_t process = 0;
        pid_t thread = 0;
        base::MonotonicTime at;

        friend bool operator==(const Timer &, const Timer &) = default;
    };

    /// What the library is called, beside the programs.
    static constexpr auto libraryName = QLatin1String("liblatchkey-clock.so");

    /// library: its file. The clock stands at these until it is moved. Error (Local): there is no such file, its path
    /// cannot be preloaded, or there is no memory.
    [[nodiscard]] static base::Result<std::unique_ptr<ProgramClock>> create(const QString &library,
                                                                            base::MonotonicTime now,
                                                                            base::WallTime date);
    ~ProgramClock() override;

    /// A client's view, for all that is ever started of it. There is room for 256; asking for more aborts.
    [[nodiscard]] ViewNumber addView(const View &view);
    /// What is started from it goes by this clock, as far as it can: see isUnderControl(). To be called once the rest
    /// of the environment has been filled in: what is preloaded already stays so.
    void show(ViewNumber view, children::Launch &launch) const;
    /// The date of that client jumps.
    void setAhead(ViewNumber view, std::chrono::nanoseconds ahead);

    [[nodiscard]] base::MonotonicTime now() const override { return m_now; }
    /// But for what a client is ahead.
    [[nodiscard]] base::WallTime wallNow() const override;
    /// Lets time pass, and wakes all whose time has come by then. Never back: what is before now() does nothing.
    void moveTo(base::MonotonicTime time);

    /// That it reads this clock and not the machine's: the library has said so in that very process, and the process is
    /// still that program. A program is under control from before its main() on.
    [[nodiscard]] bool isUnderControl(pid_t process) const;
    /// Something in it ends by the machine's time, although it is under control.
    [[nodiscard]] bool hasMachineTimers(pid_t process) const;
    /// How often the processes of a client have read it by now, but for what CPython makes nothing of. Where it is the
    /// same after something as before, nothing in between has gone by the clock. Those that have ended since count no
    /// more, so that it may be less as well.
    [[nodiscard]] quint64 readings(ViewNumber view) const;
    /// Those of a client that are under control: its own, and what they have started.
    [[nodiscard]] std::vector<pid_t> processes(ViewNumber view) const;
    /// The timed waits of all that are under control, the earliest first. Those that are due are in it until the
    /// thread has noticed.
    [[nodiscard]] std::vector<Timer> timers() const;
    /// The earliest of a process.
    [[nodiscard]] std::optional<base::MonotonicTime> nextTimer(pid_t process) const;
    /// Processes and waits that could not be told in the page, because there were thousands at once. Nothing is known
    /// of them.
    [[nodiscard]] int refusals() const;

private:
    ProgramClock(QByteArray library, int descriptor, quint64 inode, Page &page);

    const QByteArray m_library;
    const int m_descriptor;
    const quint64 m_inode; ///< By which the page is known among what a process has mapped.
    Page &m_page;          ///< Unmapped at the end.
    const quint64 m_nonce;
    const std::int64_t m_dateOffset; ///< As in the page, where programs could change it.
    base::MonotonicTime m_now;       ///< Likewise.
    ViewNumber m_views = 0;
};

} // namespace latchkey::shim

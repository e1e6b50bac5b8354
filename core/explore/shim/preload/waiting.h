#pragma once

#include "core/explore/shim/preload/clocks.h"

#include <pthread.h>

// Waits that end at a page time or on another event.

namespace latchkey::shim::preload {

/// A thread's deadline, stored in the page during the lifetime of this object.
///
/// The thread stores its deadline first and reads the page's time afterwards. The controlling side sets the time first
/// and reads the deadlines afterwards. So at least one side always sees the other's value.
class Wait final
{
public:
    enum class WokenBy : std::uint8_t { Futex, Signal };

    /// `number`: see PageWait::number; absent: the next one.
    Wait(ProcessState &processState, PageTime deadline, WokenBy by, std::optional<std::uint64_t> number = {});
    Wait(const Wait &) = delete;
    Wait &operator=(const Wait &) = delete;
    ~Wait() { release(); }

    [[nodiscard]] bool isDue() const { return m_home.now() >= m_deadline; }
    /// Returns whether the controlling side has woken this thread. It wakes threads that are due at once one by one.
    [[nodiscard]] bool mayEnd() const { return m_slot == nullptr || m_slot->mayEnd.load(); }
    /// Returns the remaining nanoseconds; 0 if the deadline has passed, `never` without a deadline.
    [[nodiscard]] std::int64_t left() const;
    /// Returns the futex that is woken at the deadline. Null if there is no deadline or the page was full; then only
    /// the other event ends the wait.
    [[nodiscard]] std::atomic<std::uint32_t> *calls() const { return m_slot == nullptr ? nullptr : &m_slot->calls; }
    /// Removes the deadline. Needed when a thread is cancelled, because no destructors run.
    void release();

private:
    ProcessState &m_home;
    const PageTime m_deadline;
    PageWait *m_slot = nullptr;
};

/// The deadline of a timeout: on the page's clock, or on the machine's monotonic clock.
class Moment final
{
public:
    /// Returns the deadline after a duration in nanoseconds.
    [[nodiscard]] static Moment after(std::int64_t nanoseconds);
    /// Returns the deadline at a time of the given clock, as the program sees that clock.
    [[nodiscard]] static Moment at(clockid_t clock, const timespec &time);
    [[nodiscard]] static Moment none() { return {nullptr, never}; }

    /// Returns the state of the process; null: the deadline is on the machine's clock.
    [[nodiscard]] ProcessState *processState() const { return m_home; }
    [[nodiscard]] std::int64_t nanoseconds() const { return m_nanoseconds; }

private:
    Moment(ProcessState *processState, std::int64_t nanoseconds)
        : m_home(processState)
        , m_nanoseconds(nanoseconds)
    {}

    ProcessState *m_home;
    std::int64_t m_nanoseconds; ///< `never`: no deadline.
};

/// Returns a page time later by a duration in nanoseconds; `never` on overflow.
[[nodiscard]] PageTime later(PageTime now, std::int64_t nanoseconds);

/// Records in the page that the process uses a timer or a wait that ends on the machine's clock.
void reportMachineTimer();

/// Converts an absolute time of a program's clock to the machine's clock of the same name, at the same distance from
/// now.
[[nodiscard]] timespec onMachine(clockid_t clock, const timespec &time);

enum class WaitResult : std::uint8_t { Called, TimedOut, Interrupted };

/// Waits while the futex has the value, until the futex is woken or the deadline is reached. As with every futex,
/// `Called` only means that the value should be checked again. `Interrupted`: a signal handler has run. abandon(with):
/// cleanup if the thread is cancelled.
[[nodiscard]] WaitResult waitForCall(std::atomic<std::uint32_t> &futex, std::uint32_t value, bool isPrivate,
                                     const Moment &moment, void (*abandon)(void *) = nullptr, void *with = nullptr);

/// Sleeps for a duration in nanoseconds. Returns 0, or the remaining nanoseconds if a signal handler has run.
[[nodiscard]] std::int64_t sleep(ProcessState &processState, std::int64_t nanoseconds);

/// Makes a system call that may block, as a cancellation point: the call does not return if the thread is cancelled.
template<typename Call>
[[nodiscard]] long block(Call call, void (*abandon)(void *), void *with)
{
    volatile long result = 0;
    int before = PTHREAD_CANCEL_DEFERRED;
    pthread_cleanup_push(abandon, with);
    ::pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    result = call();
    ::pthread_setcanceltype(before, nullptr);
    pthread_cleanup_pop(0);
    return result;
}

} // namespace latchkey::shim::preload

#pragma once

#include "core/shim/preload/clocks.h"

#include <pthread.h>

// Waiting until the page's time has come, or something else.

namespace latchkey::shim::preload {

/// A thread's deadline, in the page for as long as this lives.
///
/// It is told there first and the page's time looked at afterwards; the controlling side sets the time first and looks
/// for deadlines afterwards. So one of the two always sees the other.
class Wait final
{
public:
    enum class WokenBy : std::uint8_t { Futex, Signal };

    Wait(Home &home, PageTime deadline, WokenBy by);
    Wait(const Wait &) = delete;
    Wait &operator=(const Wait &) = delete;
    ~Wait() { release(); }

    [[nodiscard]] bool isDue() const { return m_home.now() >= m_deadline; }
    /// How long it still has: 0 where it is due.
    [[nodiscard]] std::int64_t left() const;
    /// The futex that is called when the time has come; null where the page had no room: the thread then waits for
    /// what else it waits for.
    [[nodiscard]] std::atomic<std::uint32_t> *calls() const { return m_slot == nullptr ? nullptr : &m_slot->calls; }
    /// Before its end, where a thread is cancelled: nobody destroys its objects.
    void release();

private:
    Home &m_home;
    const PageTime m_deadline;
    PageWait *m_slot = nullptr;
};

/// What a time-out comes to, as a moment: on the page, or by the machine's monotonic clock.
class Moment final
{
public:
    /// After so many nanoseconds from now.
    [[nodiscard]] static Moment after(std::int64_t nanoseconds);
    /// When that clock, as the program sees it, shows that.
    [[nodiscard]] static Moment at(clockid_t clock, const timespec &time);
    [[nodiscard]] static Moment none() { return {nullptr, never}; }

    /// Null: it is the machine's.
    [[nodiscard]] Home *home() const { return m_home; }
    [[nodiscard]] std::int64_t nanoseconds() const { return m_nanoseconds; }

private:
    Moment(Home *home, std::int64_t nanoseconds)
        : m_home(home)
        , m_nanoseconds(nanoseconds)
    {}

    Home *m_home;
    std::int64_t m_nanoseconds; ///< `never`: none.
};

/// What the machine's clock of that name will show when it has gone as far as the page's has to go until then.
[[nodiscard]] timespec onMachine(clockid_t clock, const timespec &time);

enum class Ending : std::uint8_t { Called, TimedOut, Interrupted };

/// Waits while the futex has that value, until it is called or the moment has come. As with every futex, Called only
/// says that it is worth a look. Interrupted: a signal's handler has run.
/// abandon(with): what is left to do where the thread is cancelled meanwhile.
[[nodiscard]] Ending waitForCall(std::atomic<std::uint32_t> &futex, std::uint32_t value, bool isPrivate,
                                 const Moment &moment, void (*abandon)(void *) = nullptr, void *with = nullptr);

/// Sleeps; 0, or what was left when a signal's handler ran.
[[nodiscard]] std::int64_t sleep(Home &home, std::int64_t nanoseconds);

/// Makes a system call that may block, as a cancellation point: a thread that is cancelled does not come back from it.
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

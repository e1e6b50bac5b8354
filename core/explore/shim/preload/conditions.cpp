#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/waiting.h"

#include <limits>
#include <new>
#include <threads.h>

// Replacement of all condition variables, because a thread cannot wait for one of the C library's and for a wake-up at
// the same time.
//
// The variable contains a futex that counts its calls. A waiter reads the count while it holds the mutex, and waits
// until the count changes. So it misses no call after the mutex is released. A statically initialised variable is all
// zero.

using namespace latchkey::shim::preload;

namespace {

struct Condition
{
    std::atomic<std::uint32_t> calls;
    std::atomic<std::uint32_t> waiters; ///< Threads that may still access it, and the flag beingDestroyed.
    bool isShared;
    bool isElapsed; ///< Whether deadlines use CLOCK_MONOTONIC instead of CLOCK_REALTIME.
};
constexpr std::uint32_t beingDestroyed = 0x8000'0000;
static_assert(sizeof(Condition) <= sizeof(pthread_cond_t) && alignof(Condition) <= alignof(pthread_cond_t));

Condition &of(pthread_cond_t *condition)
{
    return *reinterpret_cast<Condition *>(condition);
}

/// Deregisters a waiter and wakes pthread_cond_destroy() if it was the last. The memory may be freed meanwhile; a
/// wake-up there is harmless.
void leave(Condition &condition)
{
    const int flags = condition.isShared ? 0 : FUTEX_PRIVATE_FLAG;
    if (condition.waiters.fetch_sub(1) == beingDestroyed + 1)
        (void)kernel::call(SYS_futex, &condition.waiters, FUTEX_WAKE | flags, 1);
}

struct Waiter
{
    Condition &condition;
    pthread_mutex_t *mutex;
};

void abandon(void *waiter)
{
    const auto *all = static_cast<Waiter *>(waiter);
    leave(all->condition);
    ::pthread_mutex_lock(all->mutex);
}

int wait(Condition &condition, pthread_mutex_t *mutex, const Moment &moment)
{
    const std::uint32_t before = condition.calls.load();
    condition.waiters.fetch_add(1);
    if (const int error = ::pthread_mutex_unlock(mutex); error != 0) {
        leave(condition);
        return error;
    }
    Waiter waiter {condition, mutex};
    const WaitResult ending = waitForCall(condition.calls, before, !condition.isShared, moment, abandon, &waiter);
    // A call that coincides with the timeout may have been meant for this thread, so it counts as a call.
    const bool isOver = ending == WaitResult::TimedOut && condition.calls.load() == before;
    leave(condition);
    const int error = ::pthread_mutex_lock(mutex);
    return error != 0 ? error : isOver ? ETIMEDOUT : 0;
}

int call(Condition &condition, int maximum)
{
    condition.calls.fetch_add(1);
    (void)kernel::call(SYS_futex, &condition.calls, FUTEX_WAKE | (condition.isShared ? 0 : FUTEX_PRIVATE_FLAG),
                       maximum);
    return 0;
}

int toThreadsResult(int error)
{
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

} // namespace

extern "C" {

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) noexcept
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    clockid_t clock = CLOCK_REALTIME;
    if (attributes != nullptr) {
        ::pthread_condattr_getpshared(attributes, &shared);
        ::pthread_condattr_getclock(attributes, &clock);
    }
    new (condition) Condition {{0}, {0}, shared == PTHREAD_PROCESS_SHARED, clock == CLOCK_MONOTONIC};
    return 0;
}

/// Waits for threads that were called and are about to leave, as the C library does.
int pthread_cond_destroy(pthread_cond_t *condition) noexcept
{
    Condition &destroyed = of(condition);
    const int flags = destroyed.isShared ? 0 : FUTEX_PRIVATE_FLAG;
    std::uint32_t waiters = destroyed.waiters.fetch_or(beingDestroyed) | beingDestroyed;
    while (waiters != beingDestroyed) {
        (void)kernel::call(SYS_futex, &destroyed.waiters, FUTEX_WAIT | flags, waiters, nullptr);
        waiters = destroyed.waiters.load();
    }
    return 0;
}

int pthread_cond_signal(pthread_cond_t *condition) noexcept
{
    return call(of(condition), 1);
}

int pthread_cond_broadcast(pthread_cond_t *condition) noexcept
{
    return call(of(condition), std::numeric_limits<int>::max());
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait(of(condition), mutex, Moment::none());
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const timespec *time)
{
    return isValid(*time) ? wait(of(condition), mutex, Moment::at(clock, *time)) : EINVAL;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *time)
{
    return pthread_cond_clockwait(condition, mutex, of(condition).isElapsed ? CLOCK_MONOTONIC : CLOCK_REALTIME, time);
}

// The same functions under their C11 names. There, cnd_t is a pthread_cond_t and mtx_t is a pthread_mutex_t.

int cnd_init(cnd_t *condition)
{
    return pthread_cond_init(reinterpret_cast<pthread_cond_t *>(condition), nullptr) == 0 ? thrd_success : thrd_error;
}

void cnd_destroy(cnd_t *condition)
{
    (void)pthread_cond_destroy(reinterpret_cast<pthread_cond_t *>(condition));
}

int cnd_signal(cnd_t *condition)
{
    return toThreadsResult(pthread_cond_signal(reinterpret_cast<pthread_cond_t *>(condition)));
}

int cnd_broadcast(cnd_t *condition)
{
    return toThreadsResult(pthread_cond_broadcast(reinterpret_cast<pthread_cond_t *>(condition)));
}

int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return toThreadsResult(
        pthread_cond_wait(reinterpret_cast<pthread_cond_t *>(condition), reinterpret_cast<pthread_mutex_t *>(mutex)));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const timespec *time)
{
    return toThreadsResult(pthread_cond_timedwait(reinterpret_cast<pthread_cond_t *>(condition),
                                                  reinterpret_cast<pthread_mutex_t *>(mutex), time));
}

} // extern "C"

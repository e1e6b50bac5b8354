#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/waiting.h"

#include <semaphore.h>
#include <threads.h>

// Timed waits for semaphores and mutexes. The C library implements everything else about them, so this code depends on
// its memory layout. That layout is part of the programs' own memory and has not changed since glibc 2.21.

using namespace latchkey::shim::preload;

namespace {

/// The layout of a semaphore: its value and the number of waiters. A post wakes a thread only if there are waiters. The
/// C library treats both as one number.
struct Semaphore
{
    std::atomic<std::uint32_t> value;
    std::atomic<std::uint32_t> waiters;
    int isShared;
};
static_assert(sizeof(Semaphore) <= sizeof(sem_t));

void leave(void *semaphore)
{
    static_cast<Semaphore *>(semaphore)->waiters.fetch_sub(1);
}

/// Waits for the semaphore. Returns 0 or errno.
int waitFor(sem_t *semaphore, const Moment &moment)
{
    auto &inside = *reinterpret_cast<Semaphore *>(semaphore);
    if (::sem_trywait(semaphore) == 0)
        return 0;
    inside.waiters.fetch_add(1);
    int error = 0;
    while (::sem_trywait(semaphore) != 0) {
        const WaitResult ending = waitForCall(inside.value, 0, inside.isShared == 0, moment, leave, &inside);
        if (ending != WaitResult::Called) {
            error = ending == WaitResult::TimedOut ? ETIMEDOUT : EINTR;
            break;
        }
    }
    leave(&inside);
    return error;
}

/// The relevant part of a mutex. lock: 0 free, 1 locked, 2 locked with waiters.
struct Mutex
{
    std::atomic<std::uint32_t> lock;
    std::uint32_t depth;
    std::int32_t owner;
    std::uint32_t users;
    std::int32_t kind;
};
static_assert(sizeof(Mutex) <= sizeof(pthread_mutex_t));

constexpr std::uint32_t awaited = 2;
/// Bits of robust mutexes and mutexes with priorities.
constexpr std::int32_t otherKinds = 16 | 32 | 64;
constexpr std::int32_t sharedKind = 128;
constexpr std::int32_t basicKind = 3;

int lockUntil(pthread_mutex_t *mutex, const Moment &moment)
{
    auto &inside = *reinterpret_cast<Mutex *>(mutex);
    if ((inside.kind & otherKinds) != 0)
        return ::pthread_mutex_lock(mutex); // No timeout is better than one on the machine's clock.
    if ((inside.kind & basicKind) == PTHREAD_MUTEX_ERRORCHECK && inside.owner == kernel::threadId())
        return EDEADLK;
    int error = ::pthread_mutex_trylock(mutex);
    if (error != EBUSY)
        return error;
    auto ending = WaitResult::Called;
    do {
        std::uint32_t seen = 1;
        if (inside.lock.compare_exchange_strong(seen, awaited) || seen == awaited)
            ending = waitForCall(inside.lock, awaited, (inside.kind & sharedKind) == 0, moment);
        error = ::pthread_mutex_trylock(mutex);
    } while (error == EBUSY && ending != WaitResult::TimedOut);
    // Other threads may wait too, and pthread_mutex_trylock() does not record them.
    if (error == 0)
        inside.lock.store(awaited);
    return error == EBUSY ? ETIMEDOUT : error;
}

} // namespace

extern "C" {

int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *time)
{
    const int error = isValid(*time) ? waitFor(semaphore, Moment::at(clock, *time)) : EINVAL;
    if (error != 0)
        errno = error;
    return error == 0 ? 0 : -1;
}

int sem_timedwait(sem_t *semaphore, const timespec *time)
{
    return sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const timespec *time) noexcept
{
    return isValid(*time) ? lockUntil(mutex, Moment::at(clock, *time)) : EINVAL;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *time) noexcept
{
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

int mtx_timedlock(mtx_t *mutex, const timespec *time)
{
    const int error = pthread_mutex_timedlock(reinterpret_cast<pthread_mutex_t *>(mutex), time);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

} // extern "C"

#include "core/shim/preload/kernel.h"
#include "core/shim/preload/waiting.h"

#include <semaphore.h>
#include <threads.h>

// Semaphores and mutexes that are waited for with a time-out. All else about them is left to the C library, so this
// goes by how that has them, which programs hold in their own memory and which therefore has not changed since
// glibc 2.21.

using namespace latchkey::shim::preload;

namespace {

/// A semaphore: the value, and how many wait for it, which is why a post calls. The two are one number for the library.
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

/// 0 or errno.
int waitFor(sem_t *semaphore, const Moment &moment)
{
    auto &inside = *reinterpret_cast<Semaphore *>(semaphore);
    if (::sem_trywait(semaphore) == 0)
        return 0;
    inside.waiters.fetch_add(1);
    int error = 0;
    while (::sem_trywait(semaphore) != 0) {
        const Ending ending = waitForCall(inside.value, 0, inside.isShared == 0, moment, leave, &inside);
        if (ending != Ending::Called) {
            error = ending == Ending::TimedOut ? ETIMEDOUT : EINTR;
            break;
        }
    }
    leave(&inside);
    return error;
}

/// A mutex, as far as it matters here: 0 free, 1 locked, 2 locked and somebody waits.
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
/// Robust mutexes, and those with priorities, have other numbers.
constexpr std::int32_t otherKinds = 16 | 32 | 64;
constexpr std::int32_t sharedKind = 128;
constexpr std::int32_t basicKind = 3;

int lockUntil(pthread_mutex_t *mutex, const Moment &moment)
{
    auto &inside = *reinterpret_cast<Mutex *>(mutex);
    if ((inside.kind & otherKinds) != 0)
        return ::pthread_mutex_lock(mutex); // Never by the machine's time: rather without end.
    if ((inside.kind & basicKind) == PTHREAD_MUTEX_ERRORCHECK && inside.owner == kernel::threadId())
        return EDEADLK;
    int error = ::pthread_mutex_trylock(mutex);
    if (error != EBUSY)
        return error;
    auto ending = Ending::Called;
    do {
        std::uint32_t seen = 1;
        if (inside.lock.compare_exchange_strong(seen, awaited) || seen == awaited)
            ending = waitForCall(inside.lock, awaited, (inside.kind & sharedKind) == 0, moment);
        error = ::pthread_mutex_trylock(mutex);
    } while (error == EBUSY && ending != Ending::TimedOut);
    // Others may wait as well, of whom the library's own attempt knows nothing.
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

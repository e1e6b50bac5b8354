#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/processstate.h"
#include "core/explore/shim/preload/waiting.h"

#include <mqueue.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

// Timers and waits that end on the machine's clock, because only the kernel can end them. The process records their use
// in the page. Absolute times of the page's clock are converted to the same distance on the machine's clock. Otherwise,
// a wait until a date in another year would end immediately.

using namespace latchkey::shim::preload;

namespace {

/// Waits until an absolute time, or returns immediately if it has passed.
template<typename Next, typename... Arguments>
auto waitUntil(Next &next, clockid_t clock, const timespec *time, Arguments... arguments)
{
    reportMachineTimer();
    const timespec until = isValid(*time) ? onMachine(clock, *time) : *time;
    return next(arguments..., &until);
}

Next<int(int, int, int, const void *, socklen_t)> nextSetsockopt("setsockopt");
Next<int(pthread_rwlock_t *, const timespec *)> nextTimedRead("pthread_rwlock_timedrdlock");
Next<int(pthread_rwlock_t *, const timespec *)> nextTimedWrite("pthread_rwlock_timedwrlock");
Next<int(pthread_rwlock_t *, clockid_t, const timespec *)> nextClockRead("pthread_rwlock_clockrdlock");
Next<int(pthread_rwlock_t *, clockid_t, const timespec *)> nextClockWrite("pthread_rwlock_clockwrlock");
Next<int(pthread_t, void **, const timespec *)> nextJoin("pthread_timedjoin_np");
Next<ssize_t(mqd_t, char *, std::size_t, unsigned *, const timespec *)> nextReceive("mq_timedreceive");
Next<int(mqd_t, const char *, std::size_t, unsigned, const timespec *)> nextSend("mq_timedsend");

} // namespace

extern "C" {

int setsockopt(int socket, int level, int option, const void *value, socklen_t size) noexcept
{
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO) && size == sizeof(timeval)) {
        const auto &time = *static_cast<const timeval *>(value);
        if (time.tv_sec != 0 || time.tv_usec != 0)
            reportMachineTimer();
    }
    return nextSetsockopt(socket, level, option, value, size);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const timespec *time) noexcept
{
    return waitUntil(nextTimedRead, CLOCK_REALTIME, time, lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const timespec *time) noexcept
{
    return waitUntil(nextTimedWrite, CLOCK_REALTIME, time, lock);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *time) noexcept
{
    return waitUntil(nextClockRead, clock, time, lock, clock);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *time) noexcept
{
    return waitUntil(nextClockWrite, clock, time, lock, clock);
}

int pthread_timedjoin_np(pthread_t thread, void **result, const timespec *time)
{
    return time == nullptr ? nextJoin(thread, result, time) : waitUntil(nextJoin, CLOCK_REALTIME, time, thread, result);
}

ssize_t mq_timedreceive(mqd_t queue, char *message, std::size_t size, unsigned *priority, const timespec *time)
{
    return waitUntil(nextReceive, CLOCK_REALTIME, time, queue, message, size, priority);
}

int mq_timedsend(mqd_t queue, const char *message, std::size_t size, unsigned priority, const timespec *time)
{
    return waitUntil(nextSend, CLOCK_REALTIME, time, queue, message, size, priority);
}

} // extern "C"

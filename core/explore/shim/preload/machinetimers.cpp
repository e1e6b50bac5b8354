#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/processstate.h"
#include "core/explore/shim/preload/waiting.h"

#include <csignal>
#include <mqueue.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Timers and waits that end on the machine's clock, because only the kernel can end them. The process records their use
// in the page. Absolute times of the page's clock are converted to the same distance on the machine's clock. Otherwise,
// a wait until a date in another year would end immediately.

using namespace latchkey::shim::preload;

namespace {

void reportUse()
{
    ProcessState *const here = stateOfWaits();
    if (here != nullptr && here->process != nullptr)
        here->process->hasMachineTimers.store(true, std::memory_order_relaxed);
}

void reportIfRealTime(const timespec &time)
{
    if (time.tv_sec != 0 || time.tv_nsec != 0)
        reportUse();
}

/// Waits until an absolute time, or returns immediately if it has passed.
template<typename Next, typename... Arguments>
auto waitUntil(Next &next, clockid_t clock, const timespec *time, Arguments... arguments)
{
    reportUse();
    const timespec until = isValid(*time) ? onMachine(clock, *time) : *time;
    return next(arguments..., &until);
}

Next<unsigned(unsigned)> nextAlarm("alarm");
Next<int(int, const itimerval *, itimerval *)> nextSetitimer("setitimer");
Next<int(timer_t, int, const itimerspec *, itimerspec *)> nextTimerSettime("timer_settime");
Next<int(int, int, const itimerspec *, itimerspec *)> nextTimerfdSettime("timerfd_settime");
Next<int(int, int, int, const void *, socklen_t)> nextSetsockopt("setsockopt");
Next<int(const sigset_t *, siginfo_t *, const timespec *)> nextSigtimedwait("sigtimedwait");
Next<int(pthread_rwlock_t *, const timespec *)> nextTimedRead("pthread_rwlock_timedrdlock");
Next<int(pthread_rwlock_t *, const timespec *)> nextTimedWrite("pthread_rwlock_timedwrlock");
Next<int(pthread_rwlock_t *, clockid_t, const timespec *)> nextClockRead("pthread_rwlock_clockrdlock");
Next<int(pthread_rwlock_t *, clockid_t, const timespec *)> nextClockWrite("pthread_rwlock_clockwrlock");
Next<int(pthread_t, void **, const timespec *)> nextJoin("pthread_timedjoin_np");
Next<ssize_t(mqd_t, char *, std::size_t, unsigned *, const timespec *)> nextReceive("mq_timedreceive");
Next<int(mqd_t, const char *, std::size_t, unsigned, const timespec *)> nextSend("mq_timedsend");

} // namespace

extern "C" {

unsigned alarm(unsigned seconds) noexcept
{
    reportIfRealTime({static_cast<time_t>(seconds), 0});
    return nextAlarm(seconds);
}

int setitimer(__itimer_which_t which, const itimerval *value, itimerval *before) noexcept
{
    if (which == ITIMER_REAL && value != nullptr)
        reportIfRealTime({value->it_value.tv_sec, value->it_value.tv_usec});
    return nextSetitimer(static_cast<int>(which), value, before);
}

int timer_settime(timer_t timer, int flags, const itimerspec *value, itimerspec *before) noexcept
{
    reportIfRealTime(value->it_value);
    return nextTimerSettime(timer, flags, value, before);
}

int timerfd_settime(int timer, int flags, const itimerspec *value, itimerspec *before) noexcept
{
    reportIfRealTime(value->it_value);
    return nextTimerfdSettime(timer, flags, value, before);
}

int setsockopt(int socket, int level, int option, const void *value, socklen_t size) noexcept
{
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO) && size == sizeof(timeval)) {
        const auto &time = *static_cast<const timeval *>(value);
        reportIfRealTime({time.tv_sec, time.tv_usec});
    }
    return nextSetsockopt(socket, level, option, value, size);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const timespec *time)
{
    if (time != nullptr)
        reportIfRealTime(*time);
    return nextSigtimedwait(set, info, time);
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

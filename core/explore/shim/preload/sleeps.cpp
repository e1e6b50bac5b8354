#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/waiting.h"

#include <threads.h>
#include <unistd.h>

// nanosleep() and the functions based on it.

using namespace latchkey::shim::preload;

namespace {

/// Sleeps. Returns 0 or EINTR.
int sleepFor(ProcessState &processState, std::int64_t nanoseconds, timespec *left)
{
    const std::int64_t rest = sleep(processState, nanoseconds);
    if (rest != 0 && left != nullptr)
        *left = toTimespec(rest);
    return rest == 0 ? 0 : EINTR;
}

Next<int(clockid_t, int, const timespec *, timespec *)> nextSleep("clock_nanosleep");

} // namespace

extern "C" {

int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *left)
{
    const auto count = countOf(clock);
    ProcessState *const here = processState();
    if (here == nullptr || !count)
        return nextSleep(clock, flags, time, left);
    if (!isValid(*time) || time->tv_sec < 0)
        return EINVAL;
    const bool isMoment = (flags & TIMER_ABSTIME) != 0;
    const std::int64_t duration =
        !isMoment ? toNanoseconds(*time)
                  : std::max<std::int64_t>(0, toNanoseconds(*time) - shownAhead(*here, *count) - here->now());
    if (!here->areWaitsReal())
        return sleepFor(*here, duration, isMoment ? nullptr : left);
    const timespec real = toTimespec(duration);
    return nextSleep(clock, 0, &real, isMoment ? nullptr : left);
}

int nanosleep(const timespec *time, timespec *left)
{
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    if (error != 0)
        errno = error;
    return error == 0 ? 0 : -1;
}

int usleep(useconds_t microseconds)
{
    const timespec time = toTimespec(std::int64_t {microseconds} * 1000);
    return nanosleep(&time, nullptr);
}

unsigned sleep(unsigned seconds)
{
    const timespec time {static_cast<time_t>(seconds), 0};
    timespec left {};
    return nanosleep(&time, &left) == 0 ? 0
                                        : static_cast<unsigned>(left.tv_sec + (left.tv_nsec >= 500'000'000 ? 1 : 0));
}

int thrd_sleep(const timespec *time, timespec *left)
{
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

} // extern "C"

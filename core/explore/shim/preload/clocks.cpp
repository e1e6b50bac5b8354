#include "core/explore/shim/preload/clocks.h"

#include "core/explore/shim/preload/idlereadings.h"
#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/runtimereports.h"

#include <sys/time.h>
#include <sys/timeb.h>

namespace latchkey::shim::preload {

namespace {

/// Reads the clock. Each reading is one tick later than the last, so that a program that polls for a later time makes
/// progress. `caller`: return address of the reading function.
std::int64_t read(ProcessState &processState, Count count, const void *caller)
{
    if (count == Count::Date || !areReadingsReported())
        countReading(processState, caller);
    const std::int64_t tick = processState.view->tick.load(std::memory_order_relaxed);
    const std::int64_t ticks = tick == 0 ? processState.ticks.load(std::memory_order_relaxed)
                                         : processState.ticks.fetch_add(tick, std::memory_order_relaxed) + tick;
    return processState.page->now.load(std::memory_order_acquire) + ticks
         + (count == Count::Date ? processState.toDate() : 0);
}

/// Reads the date for the older functions, in nanoseconds since 1970.
std::int64_t readDate(const void *caller)
{
    if (ProcessState *const here = processState())
        return read(*here, Count::Date, caller);
    timespec time {};
    (void)kernel::call(SYS_clock_gettime, CLOCK_REALTIME, &time);
    return toNanoseconds(time);
}

} // namespace

std::optional<Count> countOf(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return Count::Date;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return Count::Elapsed;
    default:
        return std::nullopt;
    }
}

std::int64_t shownAhead(const ProcessState &processState, Count count)
{
    return processState.ticks.load(std::memory_order_relaxed) + (count == Count::Date ? processState.toDate() : 0);
}

PageTime toNanoseconds(const timespec &time)
{
    PageTime nanoseconds = 0;
    if (__builtin_mul_overflow(time.tv_sec, nanosecondsPerSecond, &nanoseconds)
        || __builtin_add_overflow(nanoseconds, time.tv_nsec, &nanoseconds))
        return never;
    return nanoseconds;
}

} // namespace latchkey::shim::preload

using namespace latchkey::shim::preload;

extern "C" {

int clock_gettime(clockid_t clock, timespec *time) noexcept
{
    ProcessState *const here = processState();
    const auto count = countOf(clock);
    if (here == nullptr || !count)
        return kernel::asResult(kernel::call(SYS_clock_gettime, clock, time));
    *time = toTimespec(read(*here, *count, __builtin_return_address(0)));
    return 0;
}

int gettimeofday(timeval *time, void *zone) noexcept
{
    const timespec date = toTimespec(readDate(__builtin_return_address(0)));
    *time = {date.tv_sec, date.tv_nsec / 1000};
    if (zone != nullptr)
        *static_cast<struct timezone *>(zone) = {0, 0};
    return 0;
}

time_t time(time_t *time) noexcept
{
    const time_t seconds = toTimespec(readDate(__builtin_return_address(0))).tv_sec;
    if (time != nullptr)
        *time = seconds;
    return seconds;
}

int timespec_get(timespec *time, int base) noexcept
{
    if (base != TIME_UTC)
        return 0;
    *time = toTimespec(readDate(__builtin_return_address(0)));
    return base;
}

int ftime(timeb *time)
{
    const timespec date = toTimespec(readDate(__builtin_return_address(0)));
    *time = {date.tv_sec, static_cast<unsigned short>(date.tv_nsec / 1'000'000), 0, 0};
    return 0;
}

} // extern "C"

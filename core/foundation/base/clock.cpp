#include "core/foundation/base/clock.h"

#include <ctime>

namespace latchkey::base {

Clock::~Clock() = default;

WallTime Clock::wallAt(MonotonicTime time) const
{
    const auto ago = std::chrono::floor<std::chrono::milliseconds>(now() - time);
    return wallNow() - ago;
}

MonotonicTime SystemClock::now() const
{
    timespec time {};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return MonotonicTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

WallTime SystemClock::wallNow() const
{
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

const SystemClock &SystemClock::instance()
{
    static const SystemClock clock;
    return clock;
}

} // namespace latchkey::base

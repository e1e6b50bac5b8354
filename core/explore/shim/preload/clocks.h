#pragma once

#include "core/explore/shim/preload/processstate.h"

#include <ctime>
#include <optional>

// Mapping of the kernel's clocks to the page's clock.

namespace latchkey::shim::preload {

/// The zero point of a clock: a moment in the past (Elapsed), or 1970 (Date).
enum class Count : std::uint8_t { Elapsed, Date };

/// Returns the zero point of the clock. Absent for clocks of processor time and of devices, which are not replaced.
[[nodiscard]] std::optional<Count> countOf(clockid_t clock);

/// Returns the offset in nanoseconds from the page's time to this process's latest reading of such a clock.
[[nodiscard]] std::int64_t shownAhead(const ProcessState &processState, Count count);

inline constexpr std::int64_t nanosecondsPerSecond = 1'000'000'000;

[[nodiscard]] inline timespec toTimespec(std::int64_t nanoseconds)
{
    std::int64_t seconds = nanoseconds / nanosecondsPerSecond;
    std::int64_t rest = nanoseconds % nanosecondsPerSecond;
    if (rest < 0) {
        rest += nanosecondsPerSecond;
        --seconds;
    }
    return {seconds, rest};
}

/// Converts to nanoseconds; `never` on overflow.
[[nodiscard]] PageTime toNanoseconds(const timespec &time);

[[nodiscard]] inline bool isValid(const timespec &time)
{
    return time.tv_nsec >= 0 && time.tv_nsec < nanosecondsPerSecond;
}

} // namespace latchkey::shim::preload

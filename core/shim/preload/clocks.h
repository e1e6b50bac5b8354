#pragma once

#include "core/shim/preload/home.h"

#include <ctime>
#include <optional>

// Which of the kernel's clocks are the page's.

namespace latchkey::shim::preload {

/// What a clock counts: since some moment in the past, or since 1970.
enum class Count : std::uint8_t { Elapsed, Date };

/// Nothing for the clocks of processor time and of devices, which stay what they are.
[[nodiscard]] std::optional<Count> countOf(clockid_t clock);

/// From the page's time to what such a clock has shown last.
[[nodiscard]] std::int64_t shownAhead(const Home &home, Count count);

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

/// What is too much to be counted is `never`.
[[nodiscard]] PageTime toNanoseconds(const timespec &time);

[[nodiscard]] inline bool isValid(const timespec &time)
{
    return time.tv_nsec >= 0 && time.tv_nsec < nanosecondsPerSecond;
}

} // namespace latchkey::shim::preload

#include "core/explore/shim/preload/runtimereports.h"

#include "core/explore/shim/preload/clocks.h"
#include "core/explore/shim/preload/next.h"

#include <cstdlib>
#include <string_view>

namespace latchkey::shim::preload {

namespace {

constexpr std::string_view nextTimerVariable = "LATCHKEY_NEXT_TIMER";
constexpr std::string_view lastTimerVariable = "LATCHKEY_LAST_TIMER";
constexpr std::string_view clockReadVariable = "LATCHKEY_CLOCK_READ";

constexpr std::int64_t nanosecondsPerMillisecond = 1'000'000;
/// Largest difference between a timer's end and that of the event loop, which rounds to milliseconds.
constexpr std::int64_t rounding = 2 * nanosecondsPerMillisecond;

/// The reports of the thread.
struct Reports
{
    bool areThere = false;
    PageTime nextTimer = never; ///< As the program sees the time.
    std::uint64_t lastTimer = 0;
};

__attribute__((tls_model("initial-exec"))) thread_local Reports reports;

PageTime timerFrom(const char *milliseconds)
{
    PageTime end = 0;
    const long long number = std::strtoll(milliseconds, nullptr, 10);
    return number <= 0 || __builtin_mul_overflow(number, nanosecondsPerMillisecond, &end) ? never : end;
}

Next<int(const char *, const char *, int)> nextSetenv("setenv");

} // namespace

std::int64_t untilReportedTimer(const ProcessState &processState, std::int64_t nanoseconds)
{
    if (!reports.areThere)
        return nanoseconds;
    if (reports.nextTimer == never)
        return never;
    const std::int64_t left = reports.nextTimer - processState.now() - shownAhead(processState, Count::Elapsed);
    return nanoseconds < left - rounding ? left : nanoseconds;
}

std::optional<std::uint64_t> lastReportedTimer()
{
    return reports.areThere ? std::optional(reports.lastTimer) : std::nullopt;
}

bool areReadingsReported()
{
    return reports.areThere;
}

} // namespace latchkey::shim::preload

using namespace latchkey::shim::preload;

extern "C" int setenv(const char *name, const char *value, int overwrite) noexcept
{
    if (name == nextTimerVariable) {
        reports.areThere = true;
        reports.nextTimer = timerFrom(value);
        return 0;
    }
    if (name == lastTimerVariable) {
        reports.lastTimer = std::strtoull(value, nullptr, 10);
        return 0;
    }
    if (name == clockReadVariable) {
        if (const ProcessState *const here = processState(); here != nullptr && here->process != nullptr)
            here->process->readings.fetch_add(1, std::memory_order_relaxed);
        return 0;
    }
    return nextSetenv(name, value, overwrite);
}

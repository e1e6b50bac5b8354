#pragma once

#include <chrono>

namespace latchkey::base {

/// A tag for times since boot (CLOCK_BOOTTIME). This clock also runs while the machine is suspended, as the server's
/// clock does, and never jumps. It is read through a Clock, so that tests and the race finder can supply their own
/// time.
struct BootClock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;
};

/// The time for all measurements: deadlines, round trips, validity.
using MonotonicTime = BootClock::time_point;

/// The time for dates that are shown or stored. It may jump, so it is not used for measurements.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// A source of time. Not owned by its readers; one SystemClock serves a process.
class Clock
{
public:
    Clock() = default;
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    virtual ~Clock();

    [[nodiscard]] virtual MonotonicTime now() const = 0;
    [[nodiscard]] virtual WallTime wallNow() const = 0;
    /// Converts a past monotonic time to wall time, by the current difference of the two clocks.
    [[nodiscard]] virtual WallTime wallAt(MonotonicTime time) const;
};

/// The machine's own clocks.
class SystemClock final : public Clock
{
public:
    [[nodiscard]] MonotonicTime now() const override;
    [[nodiscard]] WallTime wallNow() const override;

    /// Returns the clock of the process.
    [[nodiscard]] static const SystemClock &instance();
};

} // namespace latchkey::base

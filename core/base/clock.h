#pragma once

#include <chrono>

namespace latchkey::base {

/// The machine's clock since boot, which goes on in suspend (CLOCK_BOOTTIME) as the server's clock does; it never
/// jumps. Only a tag for time points: reading it is a Clock's job, so that tests and the race finder can supply their
/// own time.
struct BootClock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;
};

/// For everything that measures: deadlines, round trips, validity.
using MonotonicTime = BootClock::time_point;

/// For what is shown or stored as a date; it may jump, so nothing is measured with it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// Where time comes from. Not owned by those who read it; one SystemClock serves a process.
class Clock
{
public:
    Clock() = default;
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    virtual ~Clock();

    [[nodiscard]] virtual MonotonicTime now() const = 0;
    [[nodiscard]] virtual WallTime wallNow() const = 0;
};

/// The machine's own clocks.
class SystemClock final : public Clock
{
public:
    [[nodiscard]] MonotonicTime now() const override;
    [[nodiscard]] WallTime wallNow() const override;

    /// The process's own.
    [[nodiscard]] static const SystemClock &instance();
};

} // namespace latchkey::base

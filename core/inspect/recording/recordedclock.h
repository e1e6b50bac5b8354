#pragma once

#include "core/foundation/base/clock.h"

#include <optional>

namespace latchkey::recording {

/// A clock for a program that records and prints at the same time. Every printed wall-clock time is the same as in a
/// replay, because it is computed from the start of the clock. A later change of the system time has no effect. Owned
/// by the program that records.
class RecordedClock final : public base::Clock
{
public:
    RecordedClock()
        : RecordedClock(std::chrono::system_clock::now())
    {}

    /// Returns the start of the clock, which must be the start of the recording too.
    [[nodiscard]] base::MonotonicTime began() const { return m_began; }
    [[nodiscard]] base::MonotonicTime now() const override
    {
        return m_stopped.value_or(base::SystemClock::instance().now());
    }
    [[nodiscard]] base::WallTime wallNow() const override { return wallAt(now()); }
    [[nodiscard]] base::WallTime wallAt(base::MonotonicTime time) const override
    {
        return m_started + std::chrono::floor<std::chrono::milliseconds>(time - m_began);
    }
    /// Stops the clock, so that all final outputs have the same time.
    void stop() { m_stopped = now(); }

private:
    explicit RecordedClock(std::chrono::sys_time<std::chrono::nanoseconds> wall)
        : m_started(std::chrono::floor<std::chrono::milliseconds>(wall))
        , m_began(base::SystemClock::instance().now() - (wall - m_started))
    {}

    const base::WallTime m_started;
    const base::MonotonicTime m_began; ///< The beginning of the millisecond `m_started`.
    std::optional<base::MonotonicTime> m_stopped;
};

} // namespace latchkey::recording

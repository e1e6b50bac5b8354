#pragma once

#include "core/base/clock.h"

namespace latchkey::recording {

/// The time in a recording: it stands still until somebody sets it. Several replays of the same recording can have it
/// in turn, so that those who look at it need not be told. Owned by the code that replays.
class ReplayClock final : public base::Clock
{
public:
    /// Where every recording begins: late enough that what was known before has a time too.
    static constexpr base::MonotonicTime zero {std::chrono::hours(24 * 365 * 2)};

    /// It is the start of a recording that was begun then.
    void begin(base::WallTime started)
    {
        m_started = started;
        m_now = zero;
    }
    [[nodiscard]] base::MonotonicTime now() const override { return m_now; }
    [[nodiscard]] base::WallTime wallNow() const override
    {
        return m_started + std::chrono::floor<std::chrono::milliseconds>(m_now - zero);
    }
    void set(base::MonotonicTime now) { m_now = now; }

private:
    base::WallTime m_started;
    base::MonotonicTime m_now = zero;
};

} // namespace latchkey::recording

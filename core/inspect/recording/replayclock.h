#pragma once

#include "core/foundation/base/clock.h"

namespace latchkey::recording {

/// A clock of a recording, which advances only when it is set. A new replay of the same recording can take over the
/// clock; its users need no notification. Owned by the code that replays.
class ReplayClock final : public base::Clock
{
public:
    /// Start of every recording, late enough that earlier observations have a valid time too.
    static constexpr base::MonotonicTime zero {std::chrono::hours(24 * 365 * 2)};

    /// Resets to the start of a recording with this starting time.
    void begin(base::WallTime started)
    {
        m_started = started;
        m_now = zero;
    }
    [[nodiscard]] base::MonotonicTime now() const override { return m_now; }
    [[nodiscard]] base::WallTime wallNow() const override { return wallAt(m_now); }
    [[nodiscard]] base::WallTime wallAt(base::MonotonicTime time) const override
    {
        return m_started + std::chrono::floor<std::chrono::milliseconds>(time - zero);
    }
    void set(base::MonotonicTime now) { m_now = now; }

private:
    base::WallTime m_started;
    base::MonotonicTime m_now = zero;
};

} // namespace latchkey::recording

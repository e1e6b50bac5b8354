#pragma once

#include "core/foundation/base/clock.h"

namespace latchkey::test {

/// A clock that runs like the machine's clock, optionally at a multiple of its speed, and can be moved forward.
///
/// For code that compares the time with its intervals and budgets while it uses a real server. The server's own times,
/// such as the TTL of a key, are not affected.
class AdjustableClock final : public base::Clock
{
public:
    [[nodiscard]] base::MonotonicTime now() const override { return m_shown + passed(); }
    [[nodiscard]] base::WallTime wallNow() const override
    {
        return m_shownWall + std::chrono::floor<std::chrono::milliseconds>(passed());
    }

    void putForward(std::chrono::milliseconds time)
    {
        m_shown += time;
        m_shownWall += time;
    }
    /// Runs the clock at this multiple of the machine's clock from now on.
    void setSpeed(int speed)
    {
        const std::chrono::nanoseconds before = passed();
        m_shown += before;
        m_shownWall += std::chrono::floor<std::chrono::milliseconds>(before);
        m_since = system().now();
        m_speed = speed;
    }

private:
    static const base::Clock &system() { return base::SystemClock::instance(); }
    [[nodiscard]] std::chrono::nanoseconds passed() const { return m_speed * (system().now() - m_since); }

    base::MonotonicTime m_since = system().now(); ///< Time of the machine's clock from which passed() counts.
    base::MonotonicTime m_shown = m_since;
    base::WallTime m_shownWall = system().wallNow();
    int m_speed = 1;
};

} // namespace latchkey::test

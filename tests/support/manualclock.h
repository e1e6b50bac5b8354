#pragma once

#include "core/foundation/base/clock.h"

namespace latchkey::test {

/// A clock that advances only when the test calls advance(). It starts well above zero, as real clocks do.
class ManualClock final : public base::Clock
{
public:
    [[nodiscard]] base::MonotonicTime now() const override { return m_now; }
    [[nodiscard]] base::WallTime wallNow() const override { return m_wall; }

    void advance(std::chrono::nanoseconds time)
    {
        m_now += time;
        m_wall += std::chrono::floor<std::chrono::milliseconds>(time);
    }

private:
    base::MonotonicTime m_now {std::chrono::hours(5)};
    base::WallTime m_wall {std::chrono::seconds(1'750'000'000)};
};

} // namespace latchkey::test

#pragma once

#include "core/base/clock.h"

namespace latchkey::test {

/// A clock that goes only when it is told to. It starts well away from zero, as real ones do.
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

#pragma once

#include "core/foundation/base/clock.h"

namespace latchkey::playground {

/// A clock with a wall time that is ahead of or behind another clock. It simulates a machine with a wrong date.
///
/// The monotonic time is not changed. Owned by the PlaygroundClient. The other clock is not owned.
class OffsetClock final : public base::Clock
{
public:
    explicit OffsetClock(const base::Clock &other)
        : m_other(other)
    {}

    void setAhead(std::chrono::milliseconds ahead) { m_ahead = ahead; }

    [[nodiscard]] base::MonotonicTime now() const override { return m_other.now(); }
    [[nodiscard]] base::WallTime wallNow() const override { return m_other.wallNow() + m_ahead; }

private:
    const base::Clock &m_other; // Not owned.
    std::chrono::milliseconds m_ahead {};
};

} // namespace latchkey::playground

#pragma once

#include "core/base/clock.h"

namespace latchkey::playground {

/// A clock whose date is ahead of another's, or behind: that of a machine which is set wrongly, or of a later day.
///
/// What measures is not touched by it. Owned by the actor; the other clock is not owned.
class AheadClock final : public base::Clock
{
public:
    explicit AheadClock(const base::Clock &other)
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

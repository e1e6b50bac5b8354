#pragma once

#include "core/base/clock.h"

#include <algorithm>

namespace latchkey::ui::timeline {

/// A distance between marks that reads well, at least so long: 1, 2 or 5 times a power of ten, or what minutes and
/// hours are divided in, and above a day the same of days.
[[nodiscard]] std::chrono::nanoseconds readableStep(std::chrono::nanoseconds least);

/// Which time is where on a line of pixels, and how that changes when somebody zooms or scrolls. A value; it knows no
/// widget and no clock.
class TimeScale final
{
public:
    static constexpr std::chrono::nanoseconds finest {50'000};                    ///< Per pixel.
    static constexpr std::chrono::nanoseconds coarsest {std::chrono::minutes(5)}; ///< Likewise.

    TimeScale() = default;
    /// left: the time at pixel 0.
    TimeScale(base::MonotonicTime left, std::chrono::nanoseconds perPixel)
        : m_left(left)
        , m_perPixel(std::clamp(perPixel, finest, coarsest))
    {}

    [[nodiscard]] base::MonotonicTime left() const { return m_left; }
    [[nodiscard]] std::chrono::nanoseconds perPixel() const { return m_perPixel; }
    /// Pixels; far outside of any screen it is cut to where painters still reckon well.
    [[nodiscard]] double xAt(base::MonotonicTime time) const;
    [[nodiscard]] base::MonotonicTime timeAt(double x) const;

    /// Above 1: what is seen grows. The time at x stays where it is.
    void zoom(double factor, double x);
    void scroll(double pixels);
    /// Puts this time at x.
    void put(base::MonotonicTime time, double x);

    /// Between marks that are at least leastPixels apart: see readableStep().
    [[nodiscard]] std::chrono::nanoseconds step(int leastPixels) const
    {
        return readableStep(m_perPixel * leastPixels);
    }

    friend bool operator==(const TimeScale &, const TimeScale &) = default;

private:
    base::MonotonicTime m_left;
    std::chrono::nanoseconds m_perPixel {std::chrono::milliseconds(50)};
};

} // namespace latchkey::ui::timeline

#pragma once

#include "core/foundation/base/clock.h"

#include <algorithm>

namespace latchkey::ui::timeline {

/// Returns a distance between axis marks that is easy to read and at least `least`. Up to a day, it is 1, 2 or 5 times
/// a power of ten, or a divisor of minutes and hours. Above, it is 1, 2 or 5 times a power of ten in days.
[[nodiscard]] std::chrono::nanoseconds readableStep(std::chrono::nanoseconds least);

/// The mapping between times and pixels, with zoom and scroll. A value, independent of widget and clock.
class TimeScale final
{
public:
    static constexpr std::chrono::nanoseconds finest {50'000};                    ///< Lower limit of the time per
                                                                                  ///< pixel.
    static constexpr std::chrono::nanoseconds coarsest {std::chrono::minutes(5)}; ///< Upper limit of the time per
                                                                                  ///< pixel.

    TimeScale() = default;
    /// `left`: time at pixel 0.
    TimeScale(base::MonotonicTime left, std::chrono::nanoseconds perPixel)
        : m_left(left)
        , m_perPixel(std::clamp(perPixel, finest, coarsest))
    {}

    [[nodiscard]] base::MonotonicTime left() const { return m_left; }
    [[nodiscard]] std::chrono::nanoseconds perPixel() const { return m_perPixel; }
    /// Returns the pixel of a time. Limited to values that a painter can handle.
    [[nodiscard]] double xAt(base::MonotonicTime time) const;
    [[nodiscard]] base::MonotonicTime timeAt(double x) const;

    /// Zooms in if `factor` is above 1. The time at x stays in place.
    void zoom(double factor, double x);
    void scroll(double pixels);
    /// Scrolls so that this time is at x.
    void put(base::MonotonicTime time, double x);

    /// Returns a distance of marks that are at least `minPixels` apart; see readableStep().
    [[nodiscard]] std::chrono::nanoseconds step(int minPixels) const { return readableStep(m_perPixel * minPixels); }

    friend bool operator==(const TimeScale &, const TimeScale &) = default;

private:
    base::MonotonicTime m_left;
    std::chrono::nanoseconds m_perPixel {std::chrono::milliseconds(50)};
};

} // namespace latchkey::ui::timeline

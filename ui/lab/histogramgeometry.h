#pragma once

#include "core/lab/lateness.h"

#include <QRectF>

namespace latchkey::ui::lab {

/// Where the parts of a histogram stand in its plot. A value, made for each painting; it paints nothing.
class HistogramGeometry final
{
public:
    HistogramGeometry(latchkey::lab::Lateness::Histogram histogram, const QRectF &plot);

    /// A bar, from the floor of the plot up; of one that has something in it at least a pixel is seen.
    [[nodiscard]] QRectF bar(std::size_t index) const;
    /// Of a lateness; beyond the last bar: its right side.
    [[nodiscard]] double x(std::chrono::nanoseconds late) const;
    [[nodiscard]] double y(int count) const;

    /// What is written at an axis, from zero on: few round figures.
    [[nodiscard]] std::vector<int> countTicks() const;
    [[nodiscard]] std::vector<std::chrono::nanoseconds> timeTicks() const;

    [[nodiscard]] const latchkey::lab::Lateness::Histogram &histogram() const { return m_histogram; }

private:
    const latchkey::lab::Lateness::Histogram m_histogram;
    const QRectF m_plot;
    int m_top = 1; ///< The count at the plot's upper side.
};

} // namespace latchkey::ui::lab

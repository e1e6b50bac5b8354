#pragma once

#include "core/playground/lab/delaystatistics.h"

#include <QRectF>

namespace latchkey::ui::lab {

/// The layout of a histogram within its plot. A value, made for each paint event; it paints nothing.
class HistogramGeometry final
{
public:
    HistogramGeometry(latchkey::lab::DelayStatistics::Histogram histogram, const QRectF &plot);

    /// Returns the rectangle of a bar. The bar of a count above 0 is at least a pixel high.
    [[nodiscard]] QRectF bar(std::size_t index) const;
    /// Returns the x position of a delay. Limited to the right side of the last bar.
    [[nodiscard]] double x(std::chrono::nanoseconds late) const;
    [[nodiscard]] double y(int count) const;

    /// Returns the labels of the axis of counts: a few round figures, starting at 0. timeTicks() returns those of the
    /// axis of delays.
    [[nodiscard]] std::vector<int> countTicks() const;
    [[nodiscard]] std::vector<std::chrono::nanoseconds> timeTicks() const;

    [[nodiscard]] const latchkey::lab::DelayStatistics::Histogram &histogram() const { return m_histogram; }

private:
    const latchkey::lab::DelayStatistics::Histogram m_histogram;
    const QRectF m_plot;
    int m_top = 1; ///< Count at the upper side of the plot.
};

} // namespace latchkey::ui::lab

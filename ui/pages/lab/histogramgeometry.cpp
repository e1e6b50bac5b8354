#include "ui/pages/lab/histogramgeometry.h"

#include <algorithm>

namespace latchkey::ui::lab {

using latchkey::lab::DelayStatistics;
using std::chrono::nanoseconds;

namespace {

constexpr int maxTicks = 4;

/// Returns the smallest of 1, 2, 5, 10, 20 … for which at most `maximum` steps cover the whole.
qint64 stepFor(qint64 whole, int maximum)
{
    qint64 decade = 1;
    while (true) {
        for (const qint64 step : {decade, 2 * decade, 5 * decade}) {
            if (whole <= step * maximum)
                return step;
        }
        decade *= 10;
    }
}

} // namespace

HistogramGeometry::HistogramGeometry(DelayStatistics::Histogram histogram, const QRectF &plot)
    : m_histogram(std::move(histogram))
    , m_plot(plot)
{
    for (const int count : m_histogram.bars)
        m_top = std::max(m_top, count);
    const auto step = static_cast<int>(stepFor(m_top, maxTicks));
    m_top = (m_top + step - 1) / step * step;
}

double HistogramGeometry::x(nanoseconds late) const
{
    const auto range = static_cast<double>(m_histogram.width.count()) * static_cast<double>(m_histogram.bars.size());
    const double share = range > 0 ? static_cast<double>(late.count()) / range : 0;
    return m_plot.left() + std::clamp(share, 0.0, 1.0) * m_plot.width();
}

double HistogramGeometry::y(int count) const
{
    return m_plot.bottom() - m_plot.height() * count / m_top;
}

QRectF HistogramGeometry::bar(std::size_t index) const
{
    const double width = m_plot.width() / static_cast<double>(m_histogram.bars.size());
    const double left = m_plot.left() + width * static_cast<double>(index);
    const double gap = width > 4 ? 1 : 0;
    const int count = m_histogram.bars[index];
    const double height = count == 0 ? 0 : std::max(1.0, m_plot.bottom() - y(count));
    return {left + gap / 2, m_plot.bottom() - height, width - gap, height};
}

std::vector<int> HistogramGeometry::countTicks() const
{
    const auto step = static_cast<int>(stepFor(m_top, maxTicks));
    std::vector<int> ticks;
    for (int count = 0; count <= m_top; count += step)
        ticks.push_back(count);
    return ticks;
}

std::vector<nanoseconds> HistogramGeometry::timeTicks() const
{
    const auto bars = static_cast<qint64>(m_histogram.bars.size());
    std::vector<nanoseconds> ticks;
    for (qint64 at = 0; at <= bars; at += stepFor(bars, maxTicks))
        ticks.push_back(m_histogram.width * at);
    return ticks;
}

} // namespace latchkey::ui::lab

#pragma once

#include "core/foundation/base/clock.h"
#include "ui/kit/theme/theme.h"
#include "ui/views/timeline/timescale.h"

#include <QRect>

class QPainter;

namespace latchkey::ui::timeline {

/// A painter of the parts around the lanes of a timeline: the axis with wall-clock times above them, and the legend
/// below. Made for each paint event; nothing is owned. It does not know the history.
class TimelineFrame final
{
public:
    /// `area`: area of the lanes. `whole`: area of the timeline.
    TimelineFrame(QPainter &painter, const theme::Theme &theme, const QRect &area, const QRect &whole);

    /// Paints the times of this machine's clock.
    void paintAxis(const TimeScale &scale, const base::Clock &clock, base::MonotonicTime now) const;
    void paintLegend() const;

private:
    QPainter &m_painter;
    const theme::Theme &m_theme;
    const QRect m_area;
    const QRect m_whole;
};

} // namespace latchkey::ui::timeline

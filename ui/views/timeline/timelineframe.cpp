#include "ui/views/timeline/timelineframe.h"

#include "ui/views/timeline/lanepainter.h"

#include <QDateTime>
#include <QPainter>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using namespace std::chrono_literals;

TimelineFrame::TimelineFrame(QPainter &painter, const theme::Theme &theme, const QRect &area, const QRect &whole)
    : m_painter(painter)
    , m_theme(theme)
    , m_area(area)
    , m_whole(whole)
{}

void TimelineFrame::paintAxis(const TimeScale &scale, const base::Clock &clock, MonotonicTime now) const
{
    const auto step = scale.step(90);
    const auto wallNow = clock.wallNow().time_since_epoch();
    const auto offset = std::chrono::nanoseconds(wallNow) - now.time_since_epoch();
    const auto leftWall = scale.left().time_since_epoch() + offset;
    const QString format = step < 1s   ? QStringLiteral("HH:mm:ss.zzz")
                         : step < 1min ? QStringLiteral("HH:mm:ss")
                                       : QStringLiteral("HH:mm");
    for (auto mark = leftWall / step * step;; mark += step) {
        const double x = m_area.left() + scale.xAt(MonotonicTime(mark - offset));
        if (x > m_area.right())
            break;
        if (x < m_area.left())
            continue;
        m_painter.setPen(m_theme.border);
        m_painter.drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.bottom()));
        const auto milliseconds = std::chrono::round<std::chrono::milliseconds>(mark).count();
        m_painter.setPen(m_theme.muted);
        m_painter.drawText(QRectF(x + 3, 0, 110, m_area.top()), static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine,
                           QDateTime::fromMSecsSinceEpoch(milliseconds).toString(format));
    }
}

void TimelineFrame::paintLegend() const
{
    constexpr int signSize = 9;
    const QRect line(0, m_area.bottom() + 1, m_whole.width(), m_whole.height() - m_area.bottom() - 1);
    m_painter.fillRect(line, m_theme.surface);
    m_painter.setPen(m_theme.border);
    m_painter.drawLine(line.topLeft(), line.topRight());
    int x = 12;
    for (const EndMark mark : {EndMark::Released, EndMark::Expired, EndMark::Deleted, EndMark::Evicted,
                               EndMark::Flushed, EndMark::Unknown}) {
        const QString text = endMarkText(mark);
        const int width = m_painter.fontMetrics().horizontalAdvance(text);
        if (x + width + 20 > line.right())
            break;
        paintEndMark(m_painter, mark, {x + signSize / 2.0, line.center().y() + 0.5}, signSize, m_theme);
        m_painter.setPen(m_theme.muted);
        m_painter.drawText(QRect(x + signSize + 6, line.top(), width + 2, line.height()), Qt::AlignVCenter, text);
        x += signSize + width + 24;
    }
}

} // namespace latchkey::ui::timeline

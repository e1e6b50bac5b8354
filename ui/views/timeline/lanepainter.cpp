#include "ui/views/timeline/lanepainter.h"

#include "core/foundation/base/bytes.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

namespace latchkey::ui::timeline {

using events::Ending;
using history::Hold;
using theme::Theme;

namespace {

constexpr double markSize = 9;
constexpr double barShare = 0.56; ///< Ratio to the height of the strip.

void paintText(QPainter &painter, const QRectF &rect, const QString &text, const QColor &colour)
{
    painter.setPen(colour);
    painter.drawText(rect, static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(rect.width())));
}

} // namespace

EndMark endMark(const Hold &hold)
{
    switch (hold.ending) {
    case Ending::None:
        return EndMark::None;
    case Ending::Expired:
        return EndMark::Expired;
    case Ending::Deleted:
        return hold.endSource == events::Source::OwnCommand ? EndMark::Deleted : EndMark::Released;
    case Ending::Removed:
        return EndMark::Released;
    case Ending::Evicted:
        return EndMark::Evicted;
    case Ending::Flushed:
        return EndMark::Flushed;
    case Ending::Lost: // The details name the failover.
    case Ending::Unknown:
        return EndMark::Unknown;
    }
    Q_UNREACHABLE();
}

QString endMarkText(EndMark mark)
{
    switch (mark) {
    case EndMark::None:
        return {};
    case EndMark::Released:
        return QCoreApplication::translate("Timeline", "released or deleted");
    case EndMark::Expired:
        return QCoreApplication::translate("Timeline", "expired");
    case EndMark::Deleted:
        return QCoreApplication::translate("Timeline", "deleted here");
    case EndMark::Evicted:
        return QCoreApplication::translate("Timeline", "evicted");
    case EndMark::Flushed:
        return QCoreApplication::translate("Timeline", "flushed");
    case EndMark::Unknown:
        return QCoreApplication::translate("Timeline", "cause not seen");
    }
    Q_UNREACHABLE();
}

QColor holderColour(const std::optional<QByteArray> &holder, const Theme &theme)
{
    if (!holder)
        return theme.muted;
    // Red is reserved for errors: the hues are from 40 to 330 degrees.
    const auto hue = 40 + static_cast<int>(qHash(*holder, std::size_t(7)) % 291);
    const bool isDark = theme.scheme == theme::Scheme::Dark;
    return QColor::fromHsl(hue, isDark ? 140 : 150, isDark ? 160 : 105);
}

void paintEndMark(QPainter &painter, EndMark mark, QPointF centre, double size, const Theme &theme)
{
    const double half = size / 2;
    const QRectF square(centre.x() - half, centre.y() - half, size, size);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.text, 1.6));
    painter.setBrush(theme.surface);
    switch (mark) {
    case EndMark::None:
        break;
    case EndMark::Released:
        painter.drawEllipse(square);
        break;
    case EndMark::Expired:
        painter.drawLine(square.topLeft(), square.bottomRight());
        painter.drawLine(square.topRight(), square.bottomLeft());
        break;
    case EndMark::Deleted:
        painter.setBrush(theme.text);
        painter.drawRect(square);
        break;
    case EndMark::Evicted:
        painter.setBrush(theme.text);
        painter.drawPolygon(QPolygonF {square.topLeft(), square.topRight(), QPointF(centre.x(), square.bottom())});
        break;
    case EndMark::Flushed:
        painter.drawLine(QPointF(centre.x() - 2, square.top()), QPointF(centre.x() - 2, square.bottom()));
        painter.drawLine(QPointF(centre.x() + 2, square.top()), QPointF(centre.x() + 2, square.bottom()));
        break;
    case EndMark::Unknown:
        painter.drawText(square.adjusted(-3, -4, 3, 4), Qt::AlignCenter, QStringLiteral("?"));
        break;
    }
    painter.restore();
}

QRectF LanePainter::rectOf(const LaneBox &box, const QRectF &strip) const
{
    const double left = strip.left() + m_scale.xAt(box.from);
    const double right = strip.left() + m_scale.xAt(std::min(box.to, m_now));
    const double height = strip.height() * barShare;
    // Clipped to the strip: a painter is slow with large invisible areas.
    const double from = std::max(left, strip.left() - 20);
    const double to = std::min(std::max(right, left + 2), strip.right() + 20);
    return {from, strip.center().y() - height / 2, std::max(to - from, 2.0), height};
}

void LanePainter::paint(const std::deque<Hold> &holds, const std::vector<LaneBox> &boxes, const QRectF &strip,
                        const Hold *current) const
{
    const auto [first, last] =
        visibleBoxes(boxes, m_scale.timeAt(-20), std::min(m_scale.timeAt(strip.width() + 20), m_now));
    for (std::size_t i = first; i < last; ++i) {
        const LaneBox &box = boxes[i];
        const QRectF rect = rectOf(box, strip);
        if (box.count > 1)
            paintSeveral(box, rect);
        else
            paintHold(holds[box.first], rect, strip);
    }
    if (current != nullptr) {
        const LaneBox box {current->from.middle(), endOf(*current), 0, 1, false};
        m_painter.setPen(QPen(m_theme.accent, 2));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(rectOf(box, strip).adjusted(-2, -2, 2, 2), 4, 4);
    }
}

void LanePainter::paintHold(const Hold &hold, const QRectF &rect, const QRectF &strip) const
{
    const QColor colour = holderColour(hold.holder, m_theme);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(theme::tint(colour, m_theme.surface, 0.55));
    m_painter.drawRoundedRect(rect, 3, 3);
    if (hold.isInferred) {
        m_painter.setBrush(QBrush(colour, Qt::Dense6Pattern));
        m_painter.drawRoundedRect(rect, 3, 3);
    }
    if (hold.overlaps) {
        m_painter.setBrush(QBrush(m_theme.critical, Qt::BDiagPattern));
        m_painter.drawRect(rect);
        m_painter.fillRect(QRectF(rect.left(), rect.bottom() - 3, rect.width(), 3), m_theme.critical);
    }
    m_painter.fillRect(QRectF(rect.left(), rect.top(), std::min(3.0, rect.width()), rect.height()), colour);
    if (rect.width() > 40 && hold.holder)
        paintText(m_painter, rect.adjusted(7, 0, -markSize, 0).intersected(strip.adjusted(7, 0, 0, 0)),
                  base::printable(*hold.holder, 80), m_theme.text);
    paintTicks(hold, rect, strip);
    if (hold.isOver() && rect.width() >= markSize)
        paintEndMark(m_painter, endMark(hold), {rect.right() - markSize / 2, rect.center().y()}, markSize, m_theme);
}

/// Paints marks for renewals, at a distance at which they can be distinguished.
void LanePainter::paintTicks(const Hold &hold, const QRectF &rect, const QRectF &strip) const
{
    m_painter.setPen(QPen(m_theme.text, 1));
    double last = -1e9;
    for (const base::MonotonicTime extension : hold.extensions) {
        const double x = strip.left() + m_scale.xAt(extension);
        if (x < strip.left() || x > strip.right() || x - last < 4)
            continue;
        m_painter.drawLine(QPointF(x, rect.bottom()), QPointF(x, rect.bottom() + 4));
        last = x;
    }
}

void LanePainter::paintSeveral(const LaneBox &box, const QRectF &rect) const
{
    const QColor colour = box.overlaps ? m_theme.critical : m_theme.muted;
    m_painter.fillRect(rect, theme::tint(colour, m_theme.surface, 0.35));
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(QBrush(colour, Qt::VerPattern));
    m_painter.drawRect(rect);
}

void LanePainter::paintGap(const history::History::Gap &gap, const QRectF &area) const
{
    const double from = std::max(area.left() + m_scale.xAt(gap.from), area.left());
    const double to = std::min(area.left() + m_scale.xAt(gap.to.value_or(m_now)), area.right());
    if (to <= area.left() || from >= area.right())
        return;
    const QRectF rect(from, area.top(), std::max(to - from, 2.0), area.height());
    m_painter.fillRect(rect, theme::tint(m_theme.track, m_theme.surface, 0.7));
    m_painter.fillRect(rect, QBrush(m_theme.disabled, Qt::BDiagPattern));
}

} // namespace latchkey::ui::timeline

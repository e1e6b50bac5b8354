#include "ui/views/diagram/diagrampainter.h"

#include <QPainter>

#include <array>
#include <cmath>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using theme::Theme;

namespace {

constexpr int anyRoom = 100'000; ///< Wider than any arrow: texts along an arrow use another font.

} // namespace

QColor laneColour(sequence::LaneIndex lane, const Theme &theme)
{
    // Hues that differ clearly from each other and from red.
    constexpr std::array hues {222, 280, 38, 186, 320, 88, 255, 150};
    const int hue = hues.at(lane % hues.size());
    const bool isDark = theme.scheme == theme::Scheme::Dark;
    return QColor::fromHsl(hue, isDark ? 170 : 165, isDark ? 165 : 105);
}

DiagramPainter::DiagramPainter(QPainter &painter, const Subject &subject)
    : m_painter(painter)
    , m_subject(subject)
    , m_line(QFontMetricsF(subject.text).height())
{
    m_painter.setLayoutDirection(Qt::LeftToRight); // Diagrams run from left to right in every language.
}

void DiagramPainter::paint(const QRectF &part) const
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setFont(m_subject.text);
    const Times seen = m_subject.layout.timesBetween(part.top(), part.bottom());
    paintOverlaps(part, seen);
    paintLanes(part);
    paintAbsences(part, seen);
    paintPresences(part, seen);
    paintBeliefs(part, seen);
    paintRows(part);
    paintNotes(part, seen);
    m_painter.restore();
}

/// Returns the rectangle of a time span within a lane. Empty if it is outside the part. A span without an end extends
/// to the end of the diagram.
QRectF DiagramPainter::strip(double x, double width, MonotonicTime from, const std::optional<MonotonicTime> &until,
                             const QRectF &part) const
{
    const double top = m_subject.layout.yAt(from);
    const double bottom = until ? m_subject.layout.yAt(*until) : openEnd();
    if (bottom < part.top() || top > part.bottom() || x + width < part.left() || x > part.right())
        return {};
    // Clipped, because a painter is slow with large invisible areas.
    const double first = std::max(top, part.top() - 20);
    const double last = std::min(std::max(bottom, top + 3), part.bottom() + 20);
    return {x, first, width, std::max(last - first, 1.0)};
}

/// Returns the y position where open spans end. Once the sequence has ended, they extend beyond its last moment.
double DiagramPainter::openEnd() const
{
    const double now = m_subject.layout.yAt(m_subject.now);
    return m_subject.sequence.endedAt() ? now + 1.6 * line() : now;
}

/// Fills two rectangles, because an antialiased outline takes several times as long.
void DiagramPainter::paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const
{
    constexpr double half = 0.75;
    constexpr double round = 2;
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(edge);
    m_painter.drawRoundedRect(rect.adjusted(-half, -half, half, half), round + half, round + half);
    const QRectF within = rect.adjusted(half, half, -half, -half);
    if (!within.isValid())
        return;
    m_painter.setBrush(inside);
    m_painter.drawRoundedRect(within, round - half, round - half);
}

void DiagramPainter::paintWords(const QRectF &rect, const QString &text, const QColor &colour, Qt::Alignment side) const
{
    m_painter.setPen(colour);
    if (m_subject.textLayout != nullptr) {
        const TextLayoutCache::TextLayout &known =
            m_subject.textLayout->of(m_painter, text, static_cast<int>(rect.width()));
        const double x = side.testFlag(Qt::AlignRight) ? rect.right() - known.width : rect.left();
        m_painter.drawStaticText(QPointF(x, rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width());
    m_painter.drawText(rect, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

void DiagramPainter::paintText(const QRectF &rect, const QString &text, const QColor &colour,
                               TextLayoutCache::Cut cut) const
{
    QColor ground = m_subject.theme.surface;
    ground.setAlphaF(0.82F);
    const auto clear = [&](double width) {
        m_painter.fillRect(QRectF(rect.left() - 2, rect.top() + 1, width + 4, rect.height() - 2), ground);
        m_painter.setPen(colour);
    };
    if (m_subject.textLayout != nullptr) {
        const TextLayoutCache::TextLayout &known =
            m_subject.textLayout->of(m_painter, text, static_cast<int>(rect.width()), cut);
        clear(known.width);
        m_painter.drawStaticText(QPointF(rect.left(), rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width(), cut);
    clear(m_painter.fontMetrics().horizontalAdvance(shown));
    m_painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

/// Draws a horizontal or vertical line without antialiasing, which is slow for dashed lines.
void DiagramPainter::drawLine(QPointF from, QPointF to, const QPen &pen) const
{
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.setPen(pen);
    m_painter.drawLine(from, to);
    m_painter.setRenderHint(QPainter::Antialiasing);
}

void DiagramPainter::paintPill(QPointF middle, const QString &text, const QColor &colour) const
{
    const TextLayoutCache::TextLayout *known =
        m_subject.textLayout == nullptr ? nullptr : &m_subject.textLayout->of(m_painter, text, anyRoom);
    const double width = known != nullptr ? known->width : QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    const QSizeF size(width + line(), line() * 1.35);
    QRectF box(QPointF(0, 0), size);
    box.moveCenter(middle);
    box.moveRight(std::min(box.right(), m_subject.layout.width() - 2));
    box.moveLeft(std::max(box.left(), 2.0));
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    m_painter.drawRoundedRect(box, size.height() / 2, size.height() / 2);
    m_painter.setPen(m_subject.theme.surface);
    if (known != nullptr)
        m_painter.drawStaticText(box.center() - QPointF(width, known->text.size().height()) / 2, known->text);
    else
        m_painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, text);
}

double DiagramPainter::pillWidth(const QString &text) const
{
    const double words = m_subject.textLayout != nullptr ? m_subject.textLayout->of(m_painter, text, anyRoom).width
                                                         : QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    return words + line();
}

void DiagramPainter::paintPillBefore(double right, double y, const QString &text, const QColor &colour) const
{
    paintPill({right - pillWidth(text) / 2, y}, text, colour);
}

} // namespace latchkey::ui::diagram

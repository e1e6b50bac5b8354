#include "ui/views/diagram/diagramprimitives.h"

#include <QPainter>

namespace latchkey::ui::diagram {

namespace {

constexpr int anyRoom = 100'000; ///< Wider than any arrow: texts along an arrow use another font.

} // namespace

DiagramPrimitives::DiagramPrimitives(QPainter &painter, const DiagramSubject &subject)
    : m_painter(painter)
    , m_subject(subject)
    , m_line(QFontMetricsF(subject.text).height())
{}

void DiagramPrimitives::paintWords(const QRectF &rect, const QString &text, const QColor &colour,
                                   Qt::Alignment side) const
{
    m_painter.setPen(colour);
    if (m_subject.textLayout != nullptr) {
        const TextLayoutCache::TextLayout &known =
            m_subject.textLayout->layoutOf(m_painter, text, static_cast<int>(rect.width()));
        const double x = side.testFlag(Qt::AlignRight) ? rect.right() - known.width : rect.left();
        m_painter.drawStaticText(QPointF(x, rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width());
    m_painter.drawText(rect, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

void DiagramPrimitives::paintText(const QRectF &rect, const QString &text, const QColor &colour,
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
            m_subject.textLayout->layoutOf(m_painter, text, static_cast<int>(rect.width()), cut);
        clear(known.width);
        m_painter.drawStaticText(QPointF(rect.left(), rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width(), cut);
    clear(m_painter.fontMetrics().horizontalAdvance(shown));
    m_painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

/// Draws a horizontal or vertical line without antialiasing, which is slow for dashed lines.
void DiagramPrimitives::drawLine(QPointF from, QPointF to, const QPen &pen) const
{
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.setPen(pen);
    m_painter.drawLine(from, to);
    m_painter.setRenderHint(QPainter::Antialiasing);
}

/// Fills two rectangles, because an antialiased outline takes several times as long.
void DiagramPrimitives::paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const
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

void DiagramPrimitives::paintCross(QPointF middle, double size, double width) const
{
    m_painter.setPen(QPen(m_subject.theme.critical, width, Qt::SolidLine, Qt::RoundCap));
    m_painter.drawLine(middle - QPointF(size, size), middle + QPointF(size, size));
    m_painter.drawLine(middle - QPointF(-size, size), middle + QPointF(-size, size));
}

void DiagramPrimitives::paintPill(QPointF middle, const QString &text, const QColor &colour) const
{
    const TextLayoutCache::TextLayout *known =
        m_subject.textLayout == nullptr ? nullptr : &m_subject.textLayout->layoutOf(m_painter, text, anyRoom);
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

double DiagramPrimitives::pillWidth(const QString &text) const
{
    const double words = m_subject.textLayout != nullptr
                           ? m_subject.textLayout->layoutOf(m_painter, text, anyRoom).width
                           : QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    return words + line();
}

void DiagramPrimitives::paintPillBefore(double right, double y, const QString &text, const QColor &colour) const
{
    paintPill({right - pillWidth(text) / 2, y}, text, colour);
}

} // namespace latchkey::ui::diagram

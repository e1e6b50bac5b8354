#pragma once

#include "ui/views/diagram/diagramsubject.h"

#include <QPointF>
#include <QRectF>

class QPainter;

namespace latchkey::ui::diagram {

/// A painter of the primitives of a diagram: texts, pills, bars, lines and crosses.
///
/// All sizes derive from the height of a line of text. Owned by the DiagramPainter, made for each paint event. Painter
/// and subject are not owned. It does not know the meaning of the sequence.
class DiagramPrimitives final
{
    Q_DISABLE_COPY_MOVE(DiagramPrimitives)

public:
    DiagramPrimitives(QPainter &painter, const DiagramSubject &subject);

    /// Returns the height of a line of text.
    [[nodiscard]] double line() const { return m_line; }
    /// Returns the width of the bars of beliefs and locks.
    [[nodiscard]] double barWidth() const { return 0.7 * m_line; }

    void paintWords(const QRectF &rect, const QString &text, const QColor &colour, Qt::Alignment side) const;
    /// Paints a text over lanes and bars; see TextLayoutCache::Cut.
    void paintText(const QRectF &rect, const QString &text, const QColor &colour,
                   TextLayoutCache::Cut cut = TextLayoutCache::Cut::End) const;
    void drawLine(QPointF from, QPointF to, const QPen &pen) const;
    /// Paints a bar with an edge.
    void paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const;
    void paintCross(QPointF middle, double size, double width) const;
    void paintPill(QPointF middle, const QString &text, const QColor &colour) const;
    /// Paints a pill with its right end at `right`.
    void paintPillBefore(double right, double y, const QString &text, const QColor &colour) const;
    [[nodiscard]] double pillWidth(const QString &text) const;

private:
    QPainter &m_painter; // Not owned.
    const DiagramSubject &m_subject;
    const double m_line;
};

} // namespace latchkey::ui::diagram

#pragma once

#include "ui/views/diagram/diagramlegend.h"
#include "ui/views/diagram/diagramrowpainter.h"
#include "ui/views/diagram/diagramspanpainter.h"

namespace latchkey::ui::diagram {

/// A painter of a Sequence, or of its visible part.
///
/// A client's belief is a bar at the left of its lane in the colour of the lane, hatched in red after the lease. A
/// lock on the server is a bar at the right of its holder's lane, green, or amber after the death of the holder. It
/// is also a bar in the lane of the server, in the colour of the holder. A time in which several clients believe that
/// they hold one lock is red across the whole width, with a sentence above. Spans that continue after the end of the
/// sequence fade out. Made for each paint event; the painter is not owned.
class DiagramPainter final
{
    Q_DISABLE_COPY_MOVE(DiagramPainter)

public:
    DiagramPainter(QPainter &painter, const DiagramSubject &subject);

    /// Paints the part of the diagram in this rectangle. The origin of the painter is that of the diagram.
    void paint(const QRectF &part) const;
    /// Paints the names of the participants into the rectangle, which starts at `x` of the diagram.
    void paintHeading(const QRectF &rect, double x) const;
    /// Paints the legend; see DiagramLegend::height().
    void paintLegend(const QRectF &rect) const { m_legend.paint(rect); }

private:
    QPainter &m_painter;
    const DiagramSubject m_subject;
    const DiagramPrimitives m_primitives;
    const DiagramSpanPainter m_spans;
    const DiagramRowPainter m_rows;
    const DiagramLegend m_legend;
};

} // namespace latchkey::ui::diagram

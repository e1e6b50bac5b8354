#pragma once

#include "ui/views/diagram/diagramprimitives.h"

namespace latchkey::ui::diagram {

/// A painter of the rows of a diagram: commands with their replies, marks of events, and cuts of the time.
///
/// Owned by the DiagramPainter, made for each paint event. Painter, primitives and subject are not owned.
class DiagramRowPainter final
{
    Q_DISABLE_COPY_MOVE(DiagramRowPainter)

public:
    DiagramRowPainter(QPainter &painter, const DiagramPrimitives &primitives, const DiagramSubject &subject);

    /// Paints the rows in this part of the diagram.
    void paint(const QRectF &part) const;

private:
    void paintMessage(const sequence::Message &message, std::size_t row, bool isFirstOfTime) const;
    void paintMark(const sequence::Mark &mark, std::size_t row) const;
    void paintTime(double top, double height, base::MonotonicTime time) const;
    /// Paints the arrow of a message. The arrow ends in a cross if the server was dead, or if the reply did not arrive.
    void paintWay(const sequence::Message &message, double y, double from, double to) const;
    void paintArrow(QPointF from, QPointF to, const QColor &colour, bool isReply) const;
    void paintLapse(const sequence::Mark &mark, QPointF at) const;
    void paintCut(std::size_t row) const;

    QPainter &m_painter;
    const DiagramPrimitives &m_primitives;
    const DiagramSubject &m_subject;
};

} // namespace latchkey::ui::diagram

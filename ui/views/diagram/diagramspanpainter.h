#pragma once

#include "ui/views/diagram/diagramprimitives.h"

#include <optional>
#include <utility>

namespace latchkey::ui::diagram {

/// A painter of the time spans of a diagram: lanes, absences, beliefs, locks on the servers, and overlaps.
///
/// A span without an end extends to the end of the diagram, and fades out once the sequence has ended. Owned by the
/// DiagramPainter, made for each paint event. Painter, primitives and subject are not owned.
class DiagramSpanPainter final
{
    Q_DISABLE_COPY_MOVE(DiagramSpanPainter)

public:
    DiagramSpanPainter(QPainter &painter, const DiagramPrimitives &primitives, const DiagramSubject &subject);

    /// Paints the spans in this part of the diagram.
    void paint(const QRectF &part) const;
    /// Paints the sentences about spans, at places where they do not cover a span. They belong above the rows.
    void paintNotes(const QRectF &part) const;

private:
    /// Start and end.
    using Times = std::pair<base::MonotonicTime, base::MonotonicTime>;

    /// Returns whether the span intersects the times. Most past spans are far above the painted part.
    template<typename Span>
    [[nodiscard]] static bool isWithin(const Span &span, const Times &times)
    {
        return span.from <= times.second && (!span.until || *span.until >= times.first);
    }

    void paintOverlaps(const QRectF &part, const Times &times) const;
    void paintLanes(const QRectF &part) const;
    void paintAbsences(const QRectF &part, const Times &times) const;
    void paintBeliefs(const QRectF &part, const Times &times) const;
    void paintPresences(const QRectF &part, const Times &times) const;
    void paintOverlapNotes(const QRectF &part, const Times &times) const;
    void fade(const QRectF &bar) const;
    [[nodiscard]] std::optional<base::MonotonicTime> orphanedAt(const sequence::Presence &presence) const;
    [[nodiscard]] double openEnd() const;
    [[nodiscard]] QRectF strip(double x, double width, base::MonotonicTime from,
                               const std::optional<base::MonotonicTime> &until, const QRectF &part) const;

    QPainter &m_painter;
    const DiagramPrimitives &m_primitives;
    const DiagramSubject &m_subject;
};

} // namespace latchkey::ui::diagram

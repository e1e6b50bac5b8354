#pragma once

#include "ui/views/diagram/diagramsubject.h"

#include <QRectF>

#include <limits>

class QPainter;

namespace latchkey::ui::diagram {

/// A painter of the legend below a diagram, in as many rows as it needs.
///
/// Owned by the DiagramPainter, made for each paint event. Painter and subject are not owned.
class DiagramLegend final
{
    Q_DISABLE_COPY_MOVE(DiagramLegend)

public:
    DiagramLegend(QPainter &painter, const DiagramSubject &subject);

    void paint(const QRectF &rect) const;
    /// Returns the height of the legend in pixels. `text`: font of the diagram. If the legend would take more than a
    /// sixth of `diagramHeight`, its font is smaller, but not smaller than the font of the application.
    [[nodiscard]] static double height(const QFont &text, double width,
                                       double diagramHeight = std::numeric_limits<double>::max());

private:
    /// The signs of the legend, in their order: a client's belief, a lock on a server, a belief after its lease, two
    /// clients with one lock.
    enum class Sign : quint8 { Believes, Has, Past, Two };
    void paintSign(Sign sign, const QRectF &box) const;
    void paintAllClients(const QRectF &box) const;

    QPainter &m_painter;
    const DiagramSubject &m_subject;
};

} // namespace latchkey::ui::diagram

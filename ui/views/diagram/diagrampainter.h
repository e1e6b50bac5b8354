#pragma once

#include "ui/kit/theme/theme.h"
#include "ui/views/diagram/diagramlayout.h"
#include "ui/views/diagram/textlayoutcache.h"

#include <QFont>
#include <QRectF>

class QPainter;

namespace latchkey::ui::diagram {

/// Returns the colour of a client's lane. Adjacent lanes differ in colour. Red is reserved for errors.
[[nodiscard]] QColor laneColour(sequence::LaneIndex lane, const theme::Theme &theme);

/// A painter of a Sequence, or of its visible part.
///
/// A client's belief is a bar at the left of its lane in the colour of the lane, hatched in red after the lease. A
/// lock on the server is a bar at the right of its holder's lane, green, or amber after the death of the holder. It
/// is also a bar in the lane of the server, in the colour of the holder. A time in which several clients believe that
/// they hold one lock is red across the whole width, with a sentence above. Spans that continue after the end of the
/// sequence fade out. A value, made for each paint event.
class DiagramPainter final
{
public:
    /// The data to paint, and the style.
    struct Subject
    {
        const sequence::Sequence &sequence; // Not owned, like the other references.
        const DiagramLayout &layout;
        const theme::Theme &theme;
        QFont text; ///< Font in the size for which the layout was made.
        QFont code;
        base::MonotonicTime now;               ///< Current time, or the end of the sequence.
        std::optional<std::size_t> current {}; ///< Selected row.
        TextLayoutCache *textLayout = nullptr; ///< Null for a single painting; not owned.
    };

    /// Start and end.
    using Times = std::pair<base::MonotonicTime, base::MonotonicTime>;

    DiagramPainter(QPainter &painter, const Subject &subject);

    /// Paints the part of the diagram in this rectangle. The origin of the painter is that of the diagram.
    void paint(const QRectF &part) const;
    /// Paints the names of the participants into the rectangle, which starts at `x` of the diagram.
    void paintHeading(const QRectF &rect, double x) const;
    /// Paints the legend with as many rows as it needs; see legendHeight().
    void paintLegend(const QRectF &rect) const;
    /// Returns the height of the legend in pixels. `text`: font of the diagram.
    [[nodiscard]] static double legendHeight(const QFont &text, double width);

private:
    /// The signs of the legend, in their order: a client's belief, a lock on a server, a belief after its lease, two
    /// clients with one lock.
    enum class Sign : quint8 { Believes, Has, Past, Two };
    void paintSign(Sign sign, const QRectF &box) const;
    void paintAllClients(const QRectF &box) const;

    static constexpr double barLines = 0.7; ///< Width of the bars, in lines of text.

    void paintOverlaps(const QRectF &part, const Times &times) const;
    void paintLanes(const QRectF &part) const;
    void paintAbsences(const QRectF &part, const Times &times) const;
    void paintBeliefs(const QRectF &part, const Times &times) const;
    void paintPresences(const QRectF &part, const Times &times) const;
    void paintNotes(const QRectF &part, const Times &times) const;
    void fade(const QRectF &bar) const;
    [[nodiscard]] std::optional<base::MonotonicTime> orphanedAt(const sequence::Presence &seen) const;
    [[nodiscard]] double openEnd() const;
    void paintRows(const QRectF &part) const;
    void paintMessage(const sequence::Message &message, std::size_t row, bool isFirstOfTime) const;
    void paintCross(QPointF middle, double size) const;
    void paintMark(const sequence::Mark &mark, std::size_t row) const;
    void paintTime(double top, double height, base::MonotonicTime time) const;
    /// Paints the arrow of a message. The arrow ends in a cross if the server was dead, or if the reply did not arrive.
    void paintWay(const sequence::Message &message, double y, double from, double to) const;
    void paintArrow(QPointF from, QPointF to, const QColor &colour, bool isReply) const;
    void paintCross(QPointF middle, double size, double width) const;
    void paintLapse(const sequence::Mark &mark, QPointF at) const;
    void paintWords(const QRectF &rect, const QString &text, const QColor &colour, Qt::Alignment side) const;
    /// Paints a text over lanes and bars; see TextLayoutCache::Cut.
    void paintText(const QRectF &rect, const QString &text, const QColor &colour,
                   TextLayoutCache::Cut cut = TextLayoutCache::Cut::End) const;
    void drawLine(QPointF from, QPointF to, const QPen &pen) const;
    void paintCut(std::size_t row) const;
    /// Paints a bar with an edge.
    void paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const;
    void paintPill(QPointF middle, const QString &text, const QColor &colour) const;
    /// Paints a pill with its right end at `right`.
    void paintPillBefore(double right, double y, const QString &text, const QColor &colour) const;
    [[nodiscard]] double pillWidth(const QString &text) const;
    [[nodiscard]] QRectF strip(double x, double width, base::MonotonicTime from,
                               const std::optional<base::MonotonicTime> &until, const QRectF &part) const;
    [[nodiscard]] double line() const { return m_line; }

    QPainter &m_painter; // Not owned.
    const Subject m_subject;
    double m_line;
};

} // namespace latchkey::ui::diagram

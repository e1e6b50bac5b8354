#pragma once

#include "ui/diagram/diagramlayout.h"
#include "ui/diagram/speechcache.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QRectF>

class QPainter;

namespace latchkey::ui::diagram {

/// The colour of a client's lane: of those beside each other no two are alike, and none is red, which is kept for what
/// is wrong.
[[nodiscard]] QColor laneColour(sequence::LaneIndex lane, const theme::Theme &theme);

/// Paints a Sequence, or that part of it which is on screen.
///
/// What a client believes is a bar at the left of its lane, in its colour, and hatched in red once its lease is over;
/// what the server has of it is a bar at the right, green, or amber once its holder is dead. Where several believe that
/// they hold one lock, all of that time is red from side to side, with a sentence above it. What still goes on when
/// nothing is written down any more fades. A value, made for each painting.
class DiagramPainter final
{
public:
    /// What there is to paint, and how.
    struct Subject
    {
        const sequence::Sequence &sequence; // Not owned, like the rest of it.
        const DiagramLayout &layout;
        const theme::Theme &theme;
        QFont text; ///< In the size that the layout was made for.
        QFont code;
        base::MonotonicTime now;               ///< Or when the sequence ended.
        std::optional<std::size_t> current {}; ///< The row that is chosen.
        SpeechCache *speech = nullptr;         ///< Null where it is painted once; not owned.
    };

    /// From and until when.
    using Times = std::pair<base::MonotonicTime, base::MonotonicTime>;

    DiagramPainter(QPainter &painter, const Subject &subject);

    /// The part of the diagram that lies in this rectangle of it. The painter's origin is the diagram's.
    void paint(const QRectF &part) const;
    /// The names of those who take part, in this rectangle, from the diagram's x on.
    void paintHeading(const QRectF &rect, double x) const;
    /// The signs and what they mean, in as many lines as they need; see legendHeight().
    void paintLegend(const QRectF &rect) const;
    /// text: the diagram's.
    [[nodiscard]] static double legendHeight(const QFont &text, double width);

private:
    /// Of the legend, in its order.
    enum class Sign : quint8 { Believes, Has, Past, Two };
    void paintSign(Sign sign, const QRectF &box) const;
    void paintEverybody(const QRectF &box) const;

    static constexpr double barLines = 0.7; ///< The width of what lasts, in lines of text.

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
    /// What was said to a server that has been dead, or what came of it and did not arrive, ends in a cross.
    void paintWay(const sequence::Message &message, double y, double from, double to) const;
    void paintArrow(QPointF from, QPointF to, const QColor &colour, bool isReply) const;
    void paintCross(QPointF middle, double size, double width) const;
    void paintLapse(const sequence::Mark &mark, QPointF at) const;
    void paintWords(const QRectF &rect, const QString &text, const QColor &colour, Qt::Alignment side) const;
    /// The same over lanes and bars; see SpeechCache::Cut.
    void paintSpeech(const QRectF &rect, const QString &text, const QColor &colour,
                     SpeechCache::Cut cut = SpeechCache::Cut::End) const;
    void drawLine(QPointF from, QPointF to, const QPen &pen) const;
    void paintCut(std::size_t row) const;
    /// With an edge.
    void paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const;
    void paintPill(QPointF middle, const QString &text, const QColor &colour) const;
    /// With its right end there.
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

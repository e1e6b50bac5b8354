#include "ui/views/diagram/diagramspanpainter.h"

#include "core/playground/sequence/sequencetexts.h"
#include "ui/views/diagram/diagramtext.h"

#include <QLinearGradient>
#include <QPainter>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using sequence::Absence;
using sequence::Belief;
using sequence::Lane;
using sequence::LaneIndex;
using sequence::Overlap;
using sequence::Presence;
using theme::Theme;
using theme::tint;

namespace {

constexpr int maxSlots = 4;       ///< Number of bars side by side, one per key.
constexpr double fadeLines = 1.4; ///< Height of the fade-out of open spans after the end of the sequence.

} // namespace

DiagramSpanPainter::DiagramSpanPainter(QPainter &painter, const DiagramPrimitives &primitives,
                                       const DiagramSubject &subject)
    : m_painter(painter)
    , m_primitives(primitives)
    , m_subject(subject)
{}

void DiagramSpanPainter::paint(const QRectF &part) const
{
    const Times seen = m_subject.layout.timesBetween(part.top(), part.bottom());
    paintOverlaps(part, seen);
    paintLanes(part);
    paintAbsences(part, seen);
    paintPresences(part, seen);
    paintBeliefs(part, seen);
}

void DiagramSpanPainter::paintOverlaps(const QRectF &part, const Times &times) const
{
    const Theme &theme = m_subject.theme;
    const double left = m_subject.layout.gutter();
    for (const Overlap &overlap : m_subject.sequence.overlaps()) {
        if (!isWithin(overlap, times))
            continue;
        const QRectF band = strip(left, m_subject.layout.width() - left, overlap.from, overlap.until, part);
        if (band.isEmpty())
            continue;
        m_painter.fillRect(band, tint(theme.critical, theme.surface, 0.16));
        m_painter.fillRect(QRectF(band.left(), band.top(), band.width(), 2), theme.critical);
        m_painter.fillRect(QRectF(band.left(), band.bottom() - 2, band.width(), 2), theme.critical);
        m_painter.fillRect(QRectF(band.left(), band.top(), 5, band.height()), theme.critical);
    }
}

void DiagramSpanPainter::paintLanes(const QRectF &part) const
{
    const auto &lanes = m_subject.sequence.lanes();
    const double end = std::min(part.bottom(), m_subject.layout.heightAt(m_subject.now));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const double x = m_subject.layout.xOf(i);
        const QColor colour =
            lanes[i].kind == Lane::Kind::Server ? m_subject.theme.muted : laneColour(i, m_subject.theme);
        m_primitives.drawLine(QPointF(x, std::max(part.top(), 0.0)), QPointF(x, end),
                              QPen(tint(colour, m_subject.theme.surface, 0.55), 1));
    }
}

/// Paints absences. A dead client has a dotted line up to its restart or the end of the diagram. A paused client has a
/// hatched bar.
void DiagramSpanPainter::paintAbsences(const QRectF &part, const Times &times) const
{
    const Theme &theme = m_subject.theme;
    for (const Absence &absence : m_subject.sequence.absences()) {
        if (!isWithin(absence, times))
            continue;
        const double width = 2 * m_primitives.barWidth() + 4;
        QRectF box = strip(m_subject.layout.xOf(absence.lane) - width / 2, width, absence.from, absence.until, part);
        if (absence.kind == Absence::Kind::Dead) {
            if (!absence.until) {
                const double top = std::max(m_subject.layout.yAt(absence.from), part.top() - 20);
                const double end = std::min(m_subject.layout.heightAt(m_subject.now), part.bottom() + 20);
                box = {m_subject.layout.xOf(absence.lane) - width / 2, top, width, std::max(end - top, 0.0)};
            }
            m_painter.fillRect(QRectF(box.center().x() - 2, box.top(), 4, box.height()), theme.surface);
            m_primitives.drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()),
                                  QPen(theme.disabled, 1, Qt::DotLine));
        } else if (!box.isEmpty()) {
            m_painter.fillRect(box, tint(theme.warning, theme.surface, 0.18));
            m_painter.fillRect(box, QBrush(theme.warning, Qt::BDiagPattern));
            m_painter.setPen(QPen(theme.warning, 1));
            m_painter.drawRect(box);
        }
    }
}

void DiagramSpanPainter::paintBeliefs(const QRectF &part, const Times &times) const
{
    const Theme &theme = m_subject.theme;
    const double width = m_primitives.barWidth();
    for (const Belief &belief : m_subject.sequence.beliefs()) {
        if (!isWithin(belief, times))
            continue;
        const double x = m_subject.layout.xOf(belief.lane) - width - 1;
        const QRectF bar = strip(x, width, belief.from, belief.until, part);
        if (bar.isEmpty())
            continue;
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(laneColour(belief.lane, theme));
        m_painter.drawRoundedRect(bar, 2, 2);
        if (belief.end() < belief.until.value_or(m_subject.now)) {
            const QRectF late = strip(x, width, belief.end(), belief.until, part);
            m_painter.fillRect(late, theme.surface);
            m_painter.fillRect(late, QBrush(theme.critical, Qt::Dense4Pattern));
            m_painter.setPen(QPen(theme.critical, 1.5));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRect(late);
        }
        if (!belief.until)
            fade(bar);
    }
}

/// Paints the locks on the servers. A bar ends at the deadline of its key, even if the server has not confirmed the end
/// yet.
void DiagramSpanPainter::paintPresences(const QRectF &part, const Times &times) const
{
    const Theme &theme = m_subject.theme;
    const double width = m_primitives.barWidth();
    for (const Presence &presence : m_subject.sequence.presences()) {
        if (!isWithin(presence, times))
            continue;
        auto until = presence.until;
        if (!until && presence.ends && *presence.ends < m_subject.now)
            until = std::max(*presence.ends, presence.from);
        const double aside = std::min(presence.slot, maxSlots - 1) * (width + 2);
        const double x = m_subject.layout.xOf(presence.server) - width / 2 + aside;
        const QRectF atServer = strip(x, width, presence.from, until, part);
        const QColor holderColour = presence.holder ? laneColour(*presence.holder, theme) : theme.muted;
        if (!atServer.isEmpty()) {
            m_primitives.paintBar(atServer, holderColour, tint(holderColour, theme.surface, 0.35));
            if (!until)
                fade(atServer);
        }
        if (!presence.holder)
            continue;
        const auto died = orphanedAt(presence);
        const double besideX = m_subject.layout.xOf(*presence.holder) + 1;
        if (const QRectF beside = strip(besideX, width, presence.from, until, part); !beside.isEmpty()) {
            m_primitives.paintBar(beside, theme.good, tint(theme.good, theme.surface, 0.3));
            if (const QRectF left = died ? strip(besideX, width, *died, until, part) : QRectF(); !left.isEmpty())
                m_primitives.paintBar(left, theme.warning, tint(theme.warning, theme.surface, 0.3));
            if (!until)
                fade(beside);
        }
    }
}

/// Returns when the holder died. Absent if it is alive or unknown.
std::optional<MonotonicTime> DiagramSpanPainter::orphanedAt(const Presence &presence) const
{
    if (!presence.holder)
        return std::nullopt;
    for (const Absence &absence : m_subject.sequence.absences()) {
        if (absence.lane == *presence.holder && absence.kind == Absence::Kind::Dead && absence.from >= presence.from
            && absence.from <= presence.until.value_or(MonotonicTime::max()))
            return absence.from;
    }
    return std::nullopt;
}

/// Fades out the end of a bar if the end was not seen.
void DiagramSpanPainter::fade(const QRectF &bar) const
{
    if (!m_subject.sequence.endedAt() || bar.bottom() < openEnd() - 1)
        return;
    QColor clear = m_subject.theme.surface;
    clear.setAlpha(0);
    QLinearGradient gradient(0, bar.bottom() - fadeLines * m_primitives.line(), 0, bar.bottom() + 1);
    gradient.setColorAt(0, clear);
    gradient.setColorAt(1, m_subject.theme.surface);
    m_painter.fillRect(bar.adjusted(-2, std::max(0.0, bar.height() - fadeLines * m_primitives.line()), 2, 2), gradient);
}

void DiagramSpanPainter::paintNotes(const QRectF &part) const
{
    paintOverlapNotes(part, m_subject.layout.timesBetween(part.top(), part.bottom()));
    for (const Presence &presence : m_subject.sequence.presences()) {
        const bool isEndless = !presence.until && presence.ends == MonotonicTime::max();
        if (!isEndless || (!m_subject.sequence.endedAt() && !orphanedAt(presence)))
            continue;
        const double bottom =
            std::min(openEnd() + (m_subject.sequence.endedAt() ? 0 : 1.2 * m_primitives.line()), part.bottom());
        m_primitives.paintPillBefore(m_subject.layout.xOf(presence.server) - m_primitives.barWidth(),
                                     bottom - 0.8 * m_primitives.line(), DiagramText::tr("never expires"),
                                     m_subject.theme.endless);
    }
}

void DiagramSpanPainter::paintOverlapNotes(const QRectF &part, const Times &times) const
{
    QFont bold = m_subject.text;
    bold.setBold(true);
    m_painter.setFont(bold);
    const auto &overlaps = m_subject.sequence.overlaps();
    const double left = std::max(part.left(), m_subject.layout.gutter()) + 0.4 * m_primitives.line();
    const double right = std::min(part.right(), m_subject.layout.width()) - 0.4 * m_primitives.line();
    for (std::size_t i = 0; i < overlaps.size(); ++i) {
        if (!isWithin(overlaps[i], times))
            continue;
        const double y = m_subject.layout.noteOf(i);
        if (y > part.top() - m_primitives.line() && y < part.bottom() + m_primitives.line()) {
            const QString text = cutShort(m_painter.fontMetrics(), overlapText(overlaps[i]).toString(),
                                          right - left - m_primitives.line());
            m_primitives.paintPill({(left + right) / 2, y}, text, m_subject.theme.critical);
        } else if (!strip(0, m_subject.layout.width(), overlaps[i].from, overlaps[i].until, part).isEmpty()) {
            // The start of the overlap is not visible; the column of times has room for a short text.
            const QString text = DiagramText::tr("%n inside", nullptr, static_cast<int>(overlaps[i].who.size()));
            m_primitives.paintPill({part.left() + std::max(m_subject.layout.gutter() / 2, 2.4 * m_primitives.line()),
                                    part.top() + 0.9 * m_primitives.line()},
                                   text, m_subject.theme.critical);
        }
    }
    m_painter.setFont(m_subject.text);
}

/// Returns the rectangle of a time span within a lane. Empty if it is outside the part. A span without an end extends
/// to the end of the diagram.
QRectF DiagramSpanPainter::strip(double x, double width, MonotonicTime from, const std::optional<MonotonicTime> &until,
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
double DiagramSpanPainter::openEnd() const
{
    const double now = m_subject.layout.yAt(m_subject.now);
    return m_subject.sequence.endedAt() ? now + 1.6 * m_primitives.line() : now;
}

} // namespace latchkey::ui::diagram

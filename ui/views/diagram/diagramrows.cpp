// The rows of a diagram: commands with their replies, and marks.

#include "core/playground/sequence/sequencetexts.h"
#include "ui/views/diagram/diagrampainter.h"
#include "ui/views/diagram/diagramtext.h"

#include <QPainter>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using sequence::Absence;
using sequence::Belief;
using sequence::Mark;
using sequence::Message;
using theme::Theme;

namespace {

constexpr double headLines = 0.5; ///< Size of an arrow head, in lines of text.

/// Returns the text about a time without events: `35 s later`.
QString laterText(std::chrono::nanoseconds time)
{
    const auto seconds = std::chrono::round<std::chrono::seconds>(time).count();
    return seconds < 120 ? DiagramText::tr("%n s later", nullptr, static_cast<int>(seconds))
                         : DiagramText::tr("%n min later", nullptr, static_cast<int>(seconds / 60));
}

} // namespace

void DiagramPainter::paintRows(const QRectF &part) const
{
    const auto [first, last] = m_subject.layout.rowsBetween(part.top() - 2 * line(), part.bottom());
    QString before;
    for (std::size_t i = first; i < last; ++i) {
        const sequence::Row &row = m_subject.sequence.rows()[i];
        paintCut(i);
        if (m_subject.current == i) {
            const QRectF box(0, m_subject.layout.topOf(i), m_subject.layout.width(), m_subject.layout.heightOf(i));
            QColor glow = m_subject.theme.accent;
            glow.setAlphaF(0.14F);
            m_painter.fillRect(box, glow);
            m_painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), m_subject.theme.accent);
        }
        const QString time = sequence::timeText(m_subject.sequence, timeOf(row));
        if (const auto *message = std::get_if<Message>(&row))
            paintMessage(*message, i, time != before);
        else
            paintMark(std::get<Mark>(row), i);
        before = time;
    }
}

void DiagramPainter::paintCut(std::size_t row) const
{
    const auto time = m_subject.layout.cutBefore(row);
    if (!time)
        return;
    const double y = m_subject.layout.topOf(row) - 0.8 * line();
    drawLine(QPointF(m_subject.layout.gutter(), y), QPointF(m_subject.layout.width(), y),
             QPen(m_subject.theme.disabled, 1, Qt::DashLine));
    if (m_subject.layout.gutter() > 0)
        paintWords(QRectF(0, y - line() / 2, m_subject.layout.gutter() - 0.4 * line(), line()), laterText(*time),
                   m_subject.theme.faint, Qt::AlignRight);
}

void DiagramPainter::paintArrow(QPointF from, QPointF to, const QColor &colour, bool isReply) const
{
    drawLine(from, to, QPen(colour, isReply ? 1 : 2, isReply ? Qt::DashLine : Qt::SolidLine));
    const double size = headLines * line();
    const double back = to.x() > from.x() ? -size : size;
    QPolygonF head {to, to + QPointF(back, -size / 2), to + QPointF(back, size / 2)};
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    m_painter.drawPolygon(head);
}

void DiagramPainter::paintCross(QPointF middle, double size, double width) const
{
    m_painter.setPen(QPen(m_subject.theme.critical, width, Qt::SolidLine, Qt::RoundCap));
    m_painter.drawLine(middle - QPointF(size, size), middle + QPointF(size, size));
    m_painter.drawLine(middle - QPointF(-size, size), middle + QPointF(-size, size));
}

void DiagramPainter::paintWay(const Message &message, double y, double from, double to) const
{
    const DiagramLayout &layout = m_subject.layout;
    const QColor colour = laneColour(message.client, m_subject.theme);
    const QColor answer = message.isError ? m_subject.theme.critical : m_subject.theme.muted;
    const QPointF asked(0, y + layout.commandOffset());
    const QPointF answered(0, y + layout.replyOffset());
    const auto isDown = [&](const Absence &absence) {
        return absence.lane == message.server && absence.kind == Absence::Kind::Dead && absence.from <= message.sent
            && absence.until.value_or(MonotonicTime::max()) >= message.sent;
    };
    const auto cross = [&](QPointF middle) { paintCross(middle, 0.4 * line(), 0.18 * line()); };
    if (!message.isReplyLost) {
        paintArrow(asked + QPointF(from, 0), asked + QPointF(to, 0), colour, false);
        paintArrow(answered + QPointF(to, 0), answered + QPointF(from, 0), answer, true);
    } else if (std::ranges::any_of(m_subject.sequence.absences(), isDown)) {
        drawLine(asked + QPointF(from, 0), asked + QPointF(to - line(), 0), QPen(colour, 2));
        cross(asked + QPointF(to - line(), 0));
    } else {
        const double half = (from + to) / 2;
        paintArrow(asked + QPointF(from, 0), asked + QPointF(to, 0), colour, false);
        drawLine(answered + QPointF(to, 0), answered + QPointF(half, 0), QPen(answer, 1, Qt::DashLine));
        cross(answered + QPointF(half, 0));
    }
}

void DiagramPainter::paintMessage(const Message &message, std::size_t row, bool isFirstOfTime) const
{
    const Theme &theme = m_subject.theme;
    const DiagramLayout &layout = m_subject.layout;
    const double top = layout.topOf(row);
    const double bar = (barLines * line()) + 3;
    const double from = layout.xOf(message.client) + bar;
    const double to = layout.xOf(message.server) - bar / 2;
    paintWay(message, top, from, to);

    m_painter.setFont(m_subject.code);
    if (isFirstOfTime)
        paintTime(top, 2 * line(), message.sent);
    const double room = to - from - 1.2 * line();
    QRectF command(from + 0.5 * line(), top + layout.commandOffset() - 1.15 * line(), room, line());
    // The text of a lost reply starts where its arrow ends.
    const double begin = message.isReplyLost ? (from + to) / 2 + line() : from + 0.8 * line();
    const QRectF reply(begin, top + layout.replyOffset() - 1.1 * line(), to - begin - 0.4 * line(), line());
    if (message.count > 1) { // Placed at the start, where the count is not truncated.
        const QString times = QStringLiteral("%1 \u00d7 ").arg(message.count);
        paintText(command, times, theme.text);
        command.setLeft(command.left() + m_painter.fontMetrics().horizontalAdvance(times + u' '));
    }
    paintText(command, message.command, theme.text, TextLayoutCache::Cut::Values);
    paintText(reply, message.reply.toString(), message.isError ? theme.critical : theme.muted,
              TextLayoutCache::Cut::Hex);
    m_painter.setFont(m_subject.text);
}

void DiagramPainter::paintTime(double top, double height, MonotonicTime time) const
{
    if (m_subject.layout.gutter() <= 0)
        return;
    paintWords(QRectF(0, top, m_subject.layout.gutter() - 0.4 * line(), height),
               sequence::timeText(m_subject.sequence, time), m_subject.theme.faint, Qt::AlignRight);
}

/// Paints lines from the server to the clients that still believe that they hold the lock.
void DiagramPainter::paintLapse(const Mark &mark, QPointF at) const
{
    for (const Belief &belief : m_subject.sequence.beliefs()) {
        if (belief.lapsed == mark.at)
            drawLine(at, QPointF(m_subject.layout.xOf(belief.lane), at.y()),
                     QPen(m_subject.theme.critical, 1, Qt::DotLine));
    }
    const double half = barLines * line();
    drawLine(at - QPointF(half, 0), at + QPointF(half, 0), QPen(m_subject.theme.warning, 3));
}

void DiagramPainter::paintMark(const Mark &mark, std::size_t row) const
{
    const Theme &theme = m_subject.theme;
    const double y = m_subject.layout.topOf(row) + m_subject.layout.heightOf(row) / 2;
    const double x = m_subject.layout.xOf(mark.lane);
    const QString text = sequence::markText(mark).toString();
    const double besideCross = 1.4 * line();
    switch (mark.kind) {
    case Mark::Kind::Crashed:
        paintCross({x, y}, 0.75 * line(), 0.28 * line());
        paintPill({x + besideCross + pillWidth(text) / 2, y}, text, theme.critical);
        break;
    case Mark::Kind::Killed:
        paintCross({x, y}, 0.75 * line(), 0.28 * line());
        paintPillBefore(x - besideCross, y, text, theme.critical);
        break;
    case Mark::Kind::LeaseEnded:
        paintLapse(mark, {x, y});
        paintPillBefore(x - line(), y, text, theme.warning);
        break;
    case Mark::Kind::Lost:
    case Mark::Kind::Refused:
        paintPill({x, y}, text, theme.critical);
        break;
    case Mark::Kind::Paused:
    case Mark::Kind::Suspended:
        paintPill({x, y}, text, theme.warning);
        break;
    case Mark::Kind::Taken:
        paintPill({x, y}, text, theme.good);
        break;
    case Mark::Kind::Started:
    case Mark::Kind::Resumed:
    case Mark::Kind::StartedEmpty:
    case Mark::Kind::Continued:
        paintPill({x, y}, text, theme.muted);
        break;
    }
    m_painter.setFont(m_subject.code);
    paintTime(y - line() / 2, line(), mark.at);
    m_painter.setFont(m_subject.text);
}

} // namespace latchkey::ui::diagram

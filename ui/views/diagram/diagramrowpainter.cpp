#include "ui/views/diagram/diagramrowpainter.h"

#include "core/playground/sequence/sequencetexts.h"
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

DiagramRowPainter::DiagramRowPainter(QPainter &painter, const DiagramPrimitives &primitives,
                                     const DiagramSubject &subject)
    : m_painter(painter)
    , m_primitives(primitives)
    , m_subject(subject)
{}

void DiagramRowPainter::paint(const QRectF &part) const
{
    const auto [first, last] = m_subject.layout.rowsBetween(part.top() - 2 * m_primitives.line(), part.bottom());
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
        const QString time = sequence::elapsedText(m_subject.sequence, timeOf(row));
        if (const auto *message = std::get_if<Message>(&row))
            paintMessage(*message, i, time != before);
        else
            paintMark(std::get<Mark>(row), i);
        before = time;
    }
}

void DiagramRowPainter::paintCut(std::size_t row) const
{
    const auto time = m_subject.layout.cutBefore(row);
    if (!time)
        return;
    const double y = m_subject.layout.topOf(row) - 0.8 * m_primitives.line();
    m_primitives.drawLine(QPointF(m_subject.layout.gutter(), y), QPointF(m_subject.layout.width(), y),
                          QPen(m_subject.theme.disabled, 1, Qt::DashLine));
    if (m_subject.layout.gutter() > 0)
        m_primitives.paintWords(QRectF(0, y - m_primitives.line() / 2,
                                       m_subject.layout.gutter() - 0.4 * m_primitives.line(), m_primitives.line()),
                                laterText(*time), m_subject.theme.faint, Qt::AlignRight);
}

void DiagramRowPainter::paintArrow(QPointF from, QPointF to, const QColor &colour, bool isReply) const
{
    m_primitives.drawLine(from, to, QPen(colour, isReply ? 1 : 2, isReply ? Qt::DashLine : Qt::SolidLine));
    const double size = headLines * m_primitives.line();
    const double back = to.x() > from.x() ? -size : size;
    QPolygonF head {to, to + QPointF(back, -size / 2), to + QPointF(back, size / 2)};
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    m_painter.drawPolygon(head);
}

void DiagramRowPainter::paintWay(const Message &message, double y, double from, double to) const
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
    const auto cross = [&](QPointF middle) {
        m_primitives.paintCross(middle, 0.4 * m_primitives.line(), 0.18 * m_primitives.line());
    };
    if (!message.isReplyLost) {
        paintArrow(asked + QPointF(from, 0), asked + QPointF(to, 0), colour, false);
        paintArrow(answered + QPointF(to, 0), answered + QPointF(from, 0), answer, true);
    } else if (std::ranges::any_of(m_subject.sequence.absences(), isDown)) {
        m_primitives.drawLine(asked + QPointF(from, 0), asked + QPointF(to - m_primitives.line(), 0), QPen(colour, 2));
        cross(asked + QPointF(to - m_primitives.line(), 0));
    } else {
        const double half = (from + to) / 2;
        paintArrow(asked + QPointF(from, 0), asked + QPointF(to, 0), colour, false);
        m_primitives.drawLine(answered + QPointF(to, 0), answered + QPointF(half, 0), QPen(answer, 1, Qt::DashLine));
        cross(answered + QPointF(half, 0));
    }
}

void DiagramRowPainter::paintMessage(const Message &message, std::size_t row, bool isFirstOfTime) const
{
    const Theme &theme = m_subject.theme;
    const DiagramLayout &layout = m_subject.layout;
    const double top = layout.topOf(row);
    const double bar = m_primitives.barWidth() + 3;
    const double from = layout.xOf(message.client) + bar;
    const double to = layout.xOf(message.server) - bar / 2;
    paintWay(message, top, from, to);

    m_painter.setFont(m_subject.code);
    if (isFirstOfTime)
        paintTime(top, 2 * m_primitives.line(), message.sent);
    const double room = to - from - 1.2 * m_primitives.line();
    QRectF command(from + 0.5 * m_primitives.line(), top + layout.commandOffset() - 1.15 * m_primitives.line(), room,
                   m_primitives.line());
    // The text of a lost reply starts where its arrow ends.
    const double begin = message.isReplyLost ? (from + to) / 2 + m_primitives.line() : from + 0.8 * m_primitives.line();
    const QRectF reply(begin, top + layout.replyOffset() - 1.1 * m_primitives.line(),
                       to - begin - 0.4 * m_primitives.line(), m_primitives.line());
    if (message.count > 1) { // Placed at the start, where the count is not truncated.
        const QString times = QStringLiteral("%1 \u00d7 ").arg(message.count);
        m_primitives.paintText(command, times, theme.text);
        command.setLeft(command.left() + m_painter.fontMetrics().horizontalAdvance(times + u' '));
    }
    m_primitives.paintText(command, message.command, theme.text, TextLayoutCache::Cut::Values);
    m_primitives.paintText(reply, message.reply.toString(), message.isError ? theme.critical : theme.muted,
                           TextLayoutCache::Cut::Hex);
    m_painter.setFont(m_subject.text);
}

void DiagramRowPainter::paintTime(double top, double height, MonotonicTime time) const
{
    if (m_subject.layout.gutter() <= 0)
        return;
    m_primitives.paintWords(QRectF(0, top, m_subject.layout.gutter() - 0.4 * m_primitives.line(), height),
                            sequence::elapsedText(m_subject.sequence, time), m_subject.theme.faint, Qt::AlignRight);
}

/// Paints lines from the server to the clients that still believe that they hold the lock.
void DiagramRowPainter::paintLapse(const Mark &mark, QPointF at) const
{
    for (const Belief &belief : m_subject.sequence.beliefs()) {
        if (belief.lapsed == mark.at)
            m_primitives.drawLine(at, QPointF(m_subject.layout.xOf(belief.lane), at.y()),
                                  QPen(m_subject.theme.critical, 1, Qt::DotLine));
    }
    const double half = m_primitives.barWidth();
    m_primitives.drawLine(at - QPointF(half, 0), at + QPointF(half, 0), QPen(m_subject.theme.warning, 3));
}

void DiagramRowPainter::paintMark(const Mark &mark, std::size_t row) const
{
    const Theme &theme = m_subject.theme;
    const double y = m_subject.layout.topOf(row) + m_subject.layout.heightOf(row) / 2;
    const double x = m_subject.layout.xOf(mark.lane);
    const QString text = sequence::markText(mark).toString();
    const double besideCross = 1.4 * m_primitives.line();
    switch (mark.kind) {
    case Mark::Kind::Crashed:
        m_primitives.paintCross({x, y}, 0.75 * m_primitives.line(), 0.28 * m_primitives.line());
        m_primitives.paintPill({x + besideCross + m_primitives.pillWidth(text) / 2, y}, text, theme.critical);
        break;
    case Mark::Kind::Killed:
        m_primitives.paintCross({x, y}, 0.75 * m_primitives.line(), 0.28 * m_primitives.line());
        m_primitives.paintPillBefore(x - besideCross, y, text, theme.critical);
        break;
    case Mark::Kind::LeaseEnded:
        paintLapse(mark, {x, y});
        m_primitives.paintPillBefore(x - m_primitives.line(), y, text, theme.warning);
        break;
    case Mark::Kind::Lost:
    case Mark::Kind::Refused:
        m_primitives.paintPill({x, y}, text, theme.critical);
        break;
    case Mark::Kind::FailedOver:
    case Mark::Kind::ClockJumped:
    case Mark::Kind::Restarted:
        m_primitives.paintPill({x, y}, text, theme.warning);
        break;
    case Mark::Kind::Paused:
    case Mark::Kind::Suspended:
        m_primitives.paintPill({x, y}, text, theme.warning);
        break;
    case Mark::Kind::Taken:
        m_primitives.paintPill({x, y}, text, theme.good);
        break;
    case Mark::Kind::Started:
    case Mark::Kind::Resumed:
    case Mark::Kind::StartedEmpty:
    case Mark::Kind::Continued:
        m_primitives.paintPill({x, y}, text, theme.muted);
        break;
    }
    m_painter.setFont(m_subject.code);
    paintTime(y - m_primitives.line() / 2, m_primitives.line(), mark.at);
    m_painter.setFont(m_subject.text);
}

} // namespace latchkey::ui::diagram

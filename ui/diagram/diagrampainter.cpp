#include "ui/diagram/diagrampainter.h"

#include "core/sequence/telling.h"
#include "core/sequence/wiretext.h"
#include "ui/diagram/speechcache.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

#include <array>
#include <cmath>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using sequence::Absence;
using sequence::Belief;
using sequence::Lane;
using sequence::Mark;
using sequence::Message;
using sequence::Overlap;
using sequence::Presence;
using theme::Theme;
using theme::tint;

namespace {

/// Only so that the texts below belong to a context that can be translated.
struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Diagram)
};

// In lines of text.
constexpr double barLines = 0.7;
constexpr int mostSlots = 4;      ///< Bars side by side, of as many keys.
constexpr double headLines = 0.5; ///< An arrow's.

/// The time that nothing happened in, for people: `35 s later`.
QString laterText(std::chrono::nanoseconds time)
{
    const auto seconds = std::chrono::round<std::chrono::seconds>(time).count();
    return seconds < 120 ? Words::tr("%n s later", nullptr, static_cast<int>(seconds))
                         : Words::tr("%n min later", nullptr, static_cast<int>(seconds / 60));
}

} // namespace

QColor laneColour(sequence::LaneIndex lane, const Theme &theme)
{
    // Far from each other, and from red.
    constexpr std::array hues {222, 280, 38, 186, 320, 88, 255, 150};
    const int hue = hues.at(lane % hues.size());
    const bool isDark = theme.scheme == theme::Scheme::Dark;
    return QColor::fromHsl(hue, isDark ? 170 : 165, isDark ? 165 : 105);
}

DiagramPainter::DiagramPainter(QPainter &painter, const Subject &subject)
    : m_painter(painter)
    , m_subject(subject)
    , m_line(QFontMetricsF(subject.text).height())
{
    m_painter.setLayoutDirection(Qt::LeftToRight); // As a diagram is read everywhere.
}

void DiagramPainter::paint(const QRectF &part) const
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setFont(m_subject.text);
    paintOverlaps(part);
    paintLanes(part);
    paintAbsences(part);
    paintPresences(part);
    paintBeliefs(part);
    paintRows(part);
    m_painter.restore();
}

/// From one time to another within a lane; empty where that is not in the part.
QRectF DiagramPainter::strip(double x, double width, MonotonicTime from, const std::optional<MonotonicTime> &until,
                             const QRectF &part) const
{
    const double top = m_subject.layout.yAt(from);
    const double bottom = m_subject.layout.yAt(until.value_or(m_subject.now));
    if (bottom < part.top() || top > part.bottom() || x + width < part.left() || x > part.right())
        return {};
    // Painters are slow with what nobody sees.
    const double first = std::max(top, part.top() - 20);
    const double last = std::min(std::max(bottom, top + 3), part.bottom() + 20);
    return {x, first, width, std::max(last - first, 1.0)};
}

void DiagramPainter::paintOverlaps(const QRectF &part) const
{
    const Theme &theme = m_subject.theme;
    const double left = m_subject.layout.gutter();
    for (const Overlap &overlap : m_subject.sequence.overlaps()) {
        const QRectF band = strip(left, m_subject.layout.width() - left, overlap.from, overlap.until, part);
        if (band.isEmpty())
            continue;
        m_painter.fillRect(band, tint(theme.critical, theme.surface, 0.16));
        m_painter.fillRect(QRectF(band.left(), band.top(), band.width(), 2), theme.critical);
        m_painter.fillRect(QRectF(band.left(), band.bottom() - 2, band.width(), 2), theme.critical);
        m_painter.fillRect(QRectF(band.left(), band.top(), 5, band.height()), theme.critical);
    }
}

void DiagramPainter::paintLanes(const QRectF &part) const
{
    const auto &lanes = m_subject.sequence.lanes();
    const double end = std::min(part.bottom(), m_subject.layout.heightAt(m_subject.now));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const double x = m_subject.layout.xOf(i);
        const QColor colour =
            lanes[i].kind == Lane::Kind::Server ? m_subject.theme.muted : laneColour(i, m_subject.theme);
        drawLine(QPointF(x, std::max(part.top(), 0.0)), QPointF(x, end),
                 QPen(tint(colour, m_subject.theme.surface, 0.55), 1));
    }
}

/// Who is dead has no line any more, who sleeps a hatched one.
void DiagramPainter::paintAbsences(const QRectF &part) const
{
    const Theme &theme = m_subject.theme;
    for (const Absence &absence : m_subject.sequence.absences()) {
        const double width = line() * 2 * barLines + 4;
        const QRectF box =
            strip(m_subject.layout.xOf(absence.lane) - width / 2, width, absence.from, absence.until, part);
        if (box.isEmpty())
            continue;
        if (absence.kind == Absence::Kind::Dead) {
            m_painter.fillRect(QRectF(box.center().x() - 2, box.top(), 4, box.height()), theme.surface);
            drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()),
                     QPen(theme.disabled, 1, Qt::DotLine));
        } else {
            m_painter.fillRect(box, tint(theme.warning, theme.surface, 0.18));
            m_painter.fillRect(box, QBrush(theme.warning, Qt::BDiagPattern));
            m_painter.setPen(QPen(theme.warning, 1));
            m_painter.drawRect(box);
        }
    }
}

void DiagramPainter::paintBeliefs(const QRectF &part) const
{
    const Theme &theme = m_subject.theme;
    const double width = barLines * line();
    for (const Belief &belief : m_subject.sequence.beliefs()) {
        const double x = m_subject.layout.xOf(belief.lane) - width - 1;
        const QRectF bar = strip(x, width, belief.from, belief.until, part);
        if (bar.isEmpty())
            continue;
        const QColor colour = laneColour(belief.lane, theme);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        m_painter.drawRoundedRect(bar, 2, 2);
        if (belief.validUntil >= belief.until.value_or(m_subject.now))
            continue;
        const QRectF late = strip(x, width, belief.validUntil, belief.until, part);
        m_painter.fillRect(late, theme.surface);
        m_painter.fillRect(late, QBrush(theme.critical, Qt::Dense4Pattern));
        m_painter.setPen(QPen(theme.critical, 1.5));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(late);
    }
}

void DiagramPainter::paintPresences(const QRectF &part) const
{
    const Theme &theme = m_subject.theme;
    const double width = barLines * line();
    for (const Presence &seen : m_subject.sequence.presences()) {
        const double aside = std::min(seen.slot, mostSlots - 1) * (width + 2);
        const QRectF atServer =
            strip(m_subject.layout.xOf(seen.server) - width / 2 + aside, width, seen.from, seen.until, part);
        const QColor whose = seen.holder ? laneColour(*seen.holder, theme) : theme.muted;
        if (!atServer.isEmpty())
            paintBar(atServer, whose, tint(whose, theme.surface, 0.35));
        if (!seen.holder)
            continue;
        const QRectF beside = strip(m_subject.layout.xOf(*seen.holder) + 1, width, seen.from, seen.until, part);
        if (beside.isEmpty())
            continue;
        paintBar(beside, theme.good, tint(theme.good, theme.surface, 0.3));
    }
}

/// Filled twice: a pen's line takes several times as long to smooth.
void DiagramPainter::paintBar(const QRectF &rect, const QColor &edge, const QColor &inside) const
{
    constexpr double half = 0.75;
    constexpr double round = 2;
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(edge);
    m_painter.drawRoundedRect(rect.adjusted(-half, -half, half, half), round + half, round + half);
    const QRectF within = rect.adjusted(half, half, -half, -half);
    if (!within.isValid())
        return;
    m_painter.setBrush(inside);
    m_painter.drawRoundedRect(within, round - half, round - half);
}

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
    for (const Overlap &overlap : m_subject.sequence.overlaps()) {
        const QRectF band = strip(0, m_subject.layout.width(), overlap.from, overlap.until, part);
        if (band.isEmpty())
            continue;
        QFont bold = m_subject.text;
        bold.setBold(true);
        m_painter.setFont(bold);
        // Below what it began with, and in sight for as long as any of its time is.
        const double y = std::max(part.top() + line(), std::min(band.top() + 0.9 * line(), part.bottom() - line()));
        const QString text = told(overlap).toString();
        const double width = QFontMetricsF(bold).horizontalAdvance(text) + line();
        const double middle =
            std::min(std::max(part.right() - width / 2 - line(), m_subject.layout.gutter() + width / 2),
                     m_subject.layout.width() - width / 2);
        paintPill({middle, y}, text, m_subject.theme.critical);
        m_painter.setFont(m_subject.text);
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
    paintWords(QRectF(0, y - line() / 2, m_subject.layout.gutter() - 0.4 * line(), line()), laterText(*time),
               m_subject.theme.faint, Qt::AlignRight);
}

void DiagramPainter::paintWords(const QRectF &rect, const QString &text, const QColor &colour, Qt::Alignment side) const
{
    m_painter.setPen(colour);
    if (m_subject.speech != nullptr) {
        const SpeechCache::Speech &known = m_subject.speech->of(m_painter, text, static_cast<int>(rect.width()));
        const double x = side.testFlag(Qt::AlignRight) ? rect.right() - known.width : rect.left();
        m_painter.drawStaticText(QPointF(x, rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width());
    m_painter.drawText(rect, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

void DiagramPainter::paintSpeech(const QRectF &rect, const QString &text, const QColor &colour) const
{
    QColor ground = m_subject.theme.surface;
    ground.setAlphaF(0.82F);
    const auto clear = [&](double width) {
        m_painter.fillRect(QRectF(rect.left() - 2, rect.top() + 1, width + 4, rect.height() - 2), ground);
        m_painter.setPen(colour);
    };
    if (m_subject.speech != nullptr) {
        const SpeechCache::Speech &known = m_subject.speech->of(m_painter, text, static_cast<int>(rect.width()));
        clear(known.width);
        m_painter.drawStaticText(QPointF(rect.left(), rect.center().y() - known.text.size().height() / 2), known.text);
        return;
    }
    const QString shown = cutShort(m_painter.fontMetrics(), text, rect.width());
    clear(m_painter.fontMetrics().horizontalAdvance(shown));
    m_painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, shown);
}

/// One that is straight up or across needs no smoothing, which takes long for one that is dashed.
void DiagramPainter::drawLine(QPointF from, QPointF to, const QPen &pen) const
{
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.setPen(pen);
    m_painter.drawLine(from, to);
    m_painter.setRenderHint(QPainter::Antialiasing);
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

void DiagramPainter::paintMessage(const Message &message, std::size_t row, bool isFirstOfTime) const
{
    const Theme &theme = m_subject.theme;
    const DiagramLayout &layout = m_subject.layout;
    const double top = layout.topOf(row);
    const double bar = (barLines * line()) + 3;
    const double from = layout.xOf(message.client) + bar;
    const double to = layout.xOf(message.server) - bar / 2;
    const QColor colour = laneColour(message.client, theme);
    const QColor answer = message.isError ? theme.critical : theme.muted;
    paintArrow({from, top + layout.commandOffset()}, {to, top + layout.commandOffset()}, colour, false);
    const double end = message.isLost ? (from + to) / 2 : from;
    paintArrow({to, top + layout.replyOffset()}, {end, top + layout.replyOffset()}, answer, true);
    if (message.isLost)
        paintCross({end, top + layout.replyOffset()}, 0.6 * line());

    if (isFirstOfTime) {
        m_painter.setFont(m_subject.code);
        paintWords(QRectF(0, top, layout.gutter() - 0.4 * line(), 2 * line()),
                   sequence::timeText(m_subject.sequence, message.sent), theme.faint, Qt::AlignRight);
    }
    m_painter.setFont(m_subject.code);
    const double room = to - from - 1.2 * line();
    const QRectF command(from + 0.5 * line(), top + layout.commandOffset() - 1.15 * line(), room, line());
    const QRectF reply(from + 0.8 * line(), top + layout.replyOffset() - 1.1 * line(), room, line());
    QString text = sequence::withShortHex(message.command);
    if (message.count > 1) // In front, where it is not cut off.
        text.prepend(QStringLiteral("%1 \u00d7  ").arg(message.count));
    paintSpeech(command, text, theme.text);
    paintSpeech(reply, sequence::withShortHex(message.reply.toString()), answer);
    m_painter.setFont(m_subject.text);
}

void DiagramPainter::paintMark(const Mark &mark, std::size_t row) const
{
    const Theme &theme = m_subject.theme;
    const double y = m_subject.layout.topOf(row) + m_subject.layout.heightOf(row) / 2;
    const double x = m_subject.layout.xOf(mark.lane);
    QColor colour = theme.muted;
    switch (mark.kind) {
    case Mark::Kind::Crashed:
    case Mark::Kind::Lost:
    case Mark::Kind::Refused:
        colour = theme.critical;
        break;
    case Mark::Kind::Paused:
        colour = theme.warning;
        break;
    case Mark::Kind::Taken:
        colour = theme.good;
        break;
    case Mark::Kind::Started:
    case Mark::Kind::Resumed:
        colour = theme.muted;
        break;
    }
    const QString text = sequence::markText(mark).toString();
    double middle = x;
    if (mark.kind == Mark::Kind::Crashed) {
        paintCross({x, y}, 0.75 * line());
        middle = x + 1.4 * line() + QFontMetricsF(m_subject.text).horizontalAdvance(text) / 2 + 0.5 * line();
    }
    paintPill({middle, y}, text, colour);
    m_painter.setFont(m_subject.code);
    paintWords(QRectF(0, y - line() / 2, m_subject.layout.gutter() - 0.4 * line(), line()),
               sequence::timeText(m_subject.sequence, mark.at), theme.faint, Qt::AlignRight);
    m_painter.setFont(m_subject.text);
}

void DiagramPainter::paintPill(QPointF middle, const QString &text, const QColor &colour) const
{
    constexpr int anyRoom = 100'000; // As no arrow has: what is said along one is in other letters.
    const SpeechCache::Speech *known =
        m_subject.speech == nullptr ? nullptr : &m_subject.speech->of(m_painter, text, anyRoom);
    const double width = known != nullptr ? known->width : QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    const QSizeF size(width + line(), line() * 1.35);
    QRectF box(QPointF(0, 0), size);
    box.moveCenter(middle);
    box.moveLeft(std::max(box.left(), 2.0));
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    m_painter.drawRoundedRect(box, size.height() / 2, size.height() / 2);
    m_painter.setPen(m_subject.theme.surface);
    if (known != nullptr)
        m_painter.drawStaticText(box.center() - QPointF(width, known->text.size().height()) / 2, known->text);
    else
        m_painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, text);
}

} // namespace latchkey::ui::diagram

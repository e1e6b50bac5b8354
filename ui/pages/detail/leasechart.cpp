#include "ui/pages/detail/leasechart.h"

#include "core/foundation/base/avxstate.h"
#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keytext.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>

namespace latchkey::ui::detail {

using base::MonotonicTime;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

constexpr double lineWidth = 1.8;
constexpr double markSize = 9;
constexpr int textGap = 6;
/// Least distance of the labels of the time axis, in pixels.
constexpr int minTimeDistance = 48;
constexpr double linesBetween = 2.2;
constexpr auto minRepaintInterval = 33ms;
constexpr auto maxRepaintInterval = 1s;
/// Largest gap between two observations that is drawn as observed, in pixels.
constexpr double narrow = 3;

/// Formats a whole number of a unit: `200 ms`, `30 s`, `5 min`, `2 h`, `3 d`.
QString stepText(nanoseconds time)
{
    const QLocale locale;
    if (time % 24h == 0ns && time != 0ns)
        return LeaseChart::tr("%1 d").arg(locale.toString(static_cast<qlonglong>(time / 24h)));
    if (time % 1h == 0ns && time != 0ns)
        return LeaseChart::tr("%1 h").arg(time / 1h);
    if (time % 1min == 0ns && time != 0ns)
        return LeaseChart::tr("%1 min").arg(time / 1min);
    return time % 1s == 0ns ? LeaseChart::tr("%1 s").arg(time / 1s) : LeaseChart::tr("%1 ms").arg(time / 1ms);
}

} // namespace

LeaseChart::LeaseChart(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_clock(clock)
{
    setObjectName(QStringLiteral("leaseChart"));
    setAccessibleName(tr("Time left over time"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_repaint.setTimerType(Qt::PreciseTimer);
    connect(&m_repaint, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    connect(&m_appearance, &theme::Appearance::changed, this, qOverload<>(&QWidget::update));
}

void LeaseChart::show(LeaseCurve curve, std::vector<history::History::Gap> gaps)
{
    if (curve == m_curve && gaps == m_gaps)
        return;
    m_curve = std::move(curve);
    m_gaps = std::move(gaps);
    setAccessibleDescription(curveText(m_curve, m_clock.now(), m_clock.wallNow()));
    restart();
    update();
}

QSize LeaseChart::sizeHint() const
{
    return {320, fontMetrics().height() * 9 + 40};
}

QSize LeaseChart::minimumSizeHint() const
{
    return {160, sizeHint().height()};
}

/// Restarts the repaint timer with the time in which the chart moves by a pixel.
void LeaseChart::restart()
{
    if (!isVisible() || m_curve.segments.empty()) {
        m_repaint.stop();
        return;
    }
    const LeaseFrame frame = frameOf(m_curve, m_clock.now());
    const auto perPixel =
        std::chrono::duration_cast<std::chrono::milliseconds>((frame.to - frame.from) / std::max(width(), 1));
    m_repaint.start(std::clamp<std::chrono::milliseconds>(perPixel, minRepaintInterval, maxRepaintInterval));
}

void LeaseChart::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    restart();
}

void LeaseChart::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_repaint.stop();
}

double LeaseChart::Geometry::y(nanoseconds left) const
{
    const auto share = std::chrono::duration<double>(left) / std::chrono::duration<double>(top);
    return plot.bottom() - share * plot.height();
}

QPointF LeaseChart::Geometry::at(MonotonicTime time, const std::optional<nanoseconds> &left) const
{
    return {x(time), left ? y(*left) : plot.top()};
}

LeaseChart::Geometry LeaseChart::geometry() const
{
    Geometry geometry;
    geometry.frame = frameOf(m_curve, m_clock.now());
    // One twelfth of free space above the curve. The limit avoids an overflow.
    constexpr nanoseconds tallest = nanoseconds::max() / 2;
    const nanoseconds maximum = std::min(geometry.frame.longestTime, tallest);
    geometry.top = maximum + maximum / 12;
    const int line = fontMetrics().height();
    geometry.plot = QRectF(rect()).adjusted(0, line / 2.0 + 2, -markSize, -line - textGap);
    const double share = std::min(1.0, linesBetween * line / std::max(geometry.plot.height(), 1.0));
    geometry.step = timeline::readableStep(
        std::max(std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(geometry.top) * share),
                 nanoseconds(1ms)));
    int names = 0;
    for (nanoseconds left = 0ns; left <= geometry.top; left += geometry.step)
        names = std::max(names, fontMetrics().horizontalAdvance(stepText(left)));
    geometry.plot.setLeft(names + textGap);
    const auto pixels = std::max(1, static_cast<int>(geometry.plot.width()));
    geometry.scale = timeline::TimeScale(geometry.frame.from, (geometry.frame.to - geometry.frame.from) / pixels);
    return geometry;
}

QPointF LeaseChart::pointAt(MonotonicTime time, nanoseconds left) const
{
    return geometry().at(time, left);
}

/// Returns the colour of the holder in the timeline, or the accent colour if the holder is unknown.
QColor LeaseChart::colourOf(const std::optional<QByteArray> &holder) const
{
    const theme::Theme &theme = m_appearance.theme();
    return holder ? timeline::holderColour(holder, theme) : theme.accent;
}

void LeaseChart::paintEvent(QPaintEvent *)
{
    base::leaveAvxState();
    QPainter painter(this);
    painter.setLayoutDirection(Qt::LeftToRight); // Figures with units, and the time axis, run from left to right.
    const theme::Theme &theme = m_appearance.theme();
    const Geometry geometry = this->geometry();
    if (geometry.plot.width() < 1 || geometry.plot.height() < 1)
        return;
    paintAxes(painter, geometry);
    painter.save();
    painter.setClipRect(geometry.plot.adjusted(0, -markSize, markSize, 1));
    const timeline::LanePainter lanes(painter, geometry.scale, theme, geometry.frame.now);
    for (const history::History::Gap &gap : m_gaps)
        lanes.paintGap(gap, geometry.plot);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_curve.segments.size(); ++i) {
        if (m_curve.segments[i].to < geometry.frame.from)
            continue;
        paintSegment(painter, geometry, m_curve.segments[i]);
        if (i > 0 && m_curve.segments[i].isMoved)
            paintMove(painter, geometry, m_curve.segments[i - 1], m_curve.segments[i]);
    }
    paintFinishes(painter, geometry);
    painter.restore();
}

/// Paints horizontal lines with remaining times, time labels below, and a line for the current moment.
void LeaseChart::paintAxes(QPainter &painter, const Geometry &geometry) const
{
    const theme::Theme &theme = m_appearance.theme();
    const QRectF &plot = geometry.plot;
    const int line = fontMetrics().height();
    const QColor faint = theme::tint(theme.border, theme.surface, 0.7);
    for (nanoseconds left = 0ns; left <= geometry.top; left += geometry.step) {
        const double y = std::round(geometry.y(left)) + 0.5;
        painter.setPen(left == 0ns ? theme.border : faint);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, y - line / 2.0, plot.left() - textGap, line),
                         static_cast<int>(Qt::AlignRight | Qt::AlignVCenter) | Qt::TextSingleLine, stepText(left));
    }
    const auto now = geometry.frame.now;
    const nanoseconds tick = geometry.scale.step(minTimeDistance);
    const auto first = -((now - geometry.frame.from) / tick);
    for (auto i = first; now + i * tick <= geometry.frame.to; ++i) {
        const double x = std::round(geometry.x(now + i * tick)) + 0.5;
        const QString text = i == 0 ? tr("now")
                           : i < 0  ? QStringLiteral("\u2212") + stepText(-i * tick)
                                    : u'+' + stepText(i * tick);
        const double width = fontMetrics().horizontalAdvance(text);
        painter.setPen(i == 0 ? QPen(theme.accent, 1, Qt::DashLine) : QPen(faint, 1));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        const double left = std::clamp(x - width / 2, 0.0, this->width() - width);
        painter.setPen(i == 0 ? theme.accent : theme.muted);
        painter.drawText(QRectF(left, plot.bottom() + textGap, width + 1, line),
                         static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | Qt::TextSingleLine, text);
    }
}

void LeaseChart::paintSegment(QPainter &painter, const Geometry &geometry, const LeaseCurve::Segment &segment) const
{
    const QColor colour = colourOf(segment.holder);
    // Clipped to the visible part: a painter is slow with coordinates far outside.
    const MonotonicTime from = std::max(segment.from, geometry.frame.from);
    const MonotonicTime to = std::min(segment.to, geometry.frame.now);
    const auto end = [&](MonotonicTime time) {
        return segment.deadline.isNever() ? time : std::min(time, std::max(segment.deadline.at(), from));
    };
    const QPointF begin = geometry.at(from, segment.leftAt(from));
    const QPointF until = geometry.at(end(to), segment.leftAt(end(to)));
    QPolygonF below {begin, until, QPointF(until.x(), geometry.plot.bottom()),
                     QPointF(begin.x(), geometry.plot.bottom())};
    QColor fill = colour;
    fill.setAlphaF(0.12F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(below);
    const QPen seen(colour, lineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    const QPen unseen(colour, lineWidth, Qt::DotLine, Qt::FlatCap);
    // An unobserved part is only extrapolated.
    MonotonicTime at = from;
    const auto lineTo = [&](MonotonicTime time, const QPen &pen) {
        if (end(time) <= at)
            return;
        painter.setPen(pen);
        painter.drawLine(geometry.at(at, segment.leftAt(at)), geometry.at(end(time), segment.leftAt(end(time))));
        at = end(time);
    };
    for (const history::History::Gap &gap : m_gaps) {
        if (gap.from >= to || gap.to.value_or(to) <= at)
            continue;
        lineTo(gap.from, seen);
        lineTo(std::min(gap.to.value_or(to), to), unseen);
    }
    lineTo(to, seen);
    if (segment.continues())
        lineTo(geometry.frame.to, unseen);
}

/// Paints a renewal. If its moment was seen, the line is vertical. Otherwise the curve falls on to the next observation
/// and rises there, because the renewal happened at that moment at the latest.
void LeaseChart::paintMove(QPainter &painter, const Geometry &geometry, const LeaseCurve::Segment &before,
                           const LeaseCurve::Segment &after) const
{
    const QColor colour = colourOf(after.holder);
    const QPointF low = geometry.at(before.to, before.leftAt(before.to));
    const QPointF high = geometry.at(after.from, after.leftAt(after.from));
    const bool isSeen = high.x() - low.x() <= narrow;
    painter.setPen(QPen(colour, isSeen ? lineWidth : 1, isSeen ? Qt::SolidLine : Qt::DashLine, Qt::FlatCap));
    if (isSeen) {
        painter.drawLine(low, high);
    } else {
        const QPointF lowest = geometry.at(after.from, before.leftAt(after.from));
        painter.drawLine(low, lowest);
        painter.drawLine(lowest, high);
    }
    if (!after.isMovedByUser)
        return;
    painter.setPen(QPen(m_appearance.theme().surface, 1));
    painter.setBrush(m_appearance.theme().text);
    painter.drawEllipse(high, 3.5, 3.5);
}

void LeaseChart::paintFinishes(QPainter &painter, const Geometry &geometry) const
{
    const theme::Theme &theme = m_appearance.theme();
    for (const LeaseCurve::Finish &finish : m_curve.finishes) {
        if (finish.at < geometry.frame.from)
            continue;
        nanoseconds left = 0ns;
        if (finish.deadline)
            left = std::clamp(finish.deadline->remaining(finish.at).value_or(geometry.top), 0ns, geometry.top);
        const QPointF point(geometry.x(finish.at), geometry.y(left));
        painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
        painter.drawLine(point, QPointF(point.x(), geometry.plot.bottom()));
        timeline::paintEndMark(painter, finish.mark, point, markSize, theme);
    }
}

QString LeaseChart::tipAt(const QPointF &point) const
{
    const Geometry geometry = this->geometry();
    const MonotonicTime time = geometry.scale.timeAt(point.x() - geometry.plot.left());
    for (const LeaseCurve::Finish &finish : m_curve.finishes) {
        if (qAbs(geometry.x(finish.at) - point.x()) <= markSize / 2)
            return tr("The hold ended: %1").arg(timeline::endMarkText(finish.mark));
    }
    const auto segment = std::ranges::find_if(m_curve.segments, [&](const LeaseCurve::Segment &candidate) {
        return candidate.from <= time && time <= candidate.to;
    });
    if (segment == m_curve.segments.end())
        return {};
    const auto left = segment->leftAt(time);
    QStringList lines {left ? tr("%1 left").arg(keytable::durationText(*left)) : tr("no expiry")};
    if (time > geometry.frame.now)
        lines += tr("without further renewal");
    if (segment->holder)
        lines += tr("Holder: %1").arg(base::printable(*segment->holder, 200));
    if (segment->isMovedByUser)
        lines += tr("The expiry was set here.");
    return lines.join(u'\n');
}

bool LeaseChart::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), widgets::toolTipText(tip), this);
    return true;
}

} // namespace latchkey::ui::detail

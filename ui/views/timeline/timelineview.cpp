#include "ui/views/timeline/timelineview.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/focusframe.h"
#include "ui/views/timeline/lanepainter.h"

#include <QDateTime>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using history::History;
using history::Hold;
using namespace std::chrono_literals;

namespace {

constexpr int laneHeight = 30;
constexpr double zoomStep = 1.25;
/// Interval in which changes are collected before a repaint, and of following the current moment.
constexpr auto repaintInterval = 33ms;

} // namespace

TimelineView::TimelineView(const History &history, const base::Clock &clock, theme::Appearance &appearance,
                           QWidget *parent)
    : FollowingScrollArea(zoomStep, appearance, parent)
    , m_history(history)
    , m_clock(clock)
{
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(tr("Timeline of locks"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(false);
    m_repaint.setSingleShot(true);
    m_repaint.setInterval(repaintInterval);
    connect(&m_repaint, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
    m_follow.setInterval(repaintInterval);
    connect(&m_follow, &QTimer::timeout, this, &TimelineView::follow);
    connect(&m_history, &History::changed, this, &TimelineView::laneChanged);
    connect(&m_history, &History::gapsChanged, this, [this] { m_repaint.start(); });
    describe();
}

TimelineView::~TimelineView() = default;

QSize TimelineView::sizeHint() const
{
    return {900, 8 * laneHeight};
}

/// Repaints if time has moved by half a pixel, the smallest visible distance. A paused recording therefore causes no
/// repaints, and a coarse scale causes few.
void TimelineView::follow()
{
    if (m_clock.now() - m_paintedFor >= m_scale.perPixel() / 2 || m_clock.now() < m_paintedFor)
        viewport()->update();
}

void TimelineView::laneChanged(const History::LockId &place)
{
    const auto lane = m_lanes.find(place);
    if (lane == m_lanes.end())
        m_arePlacesOld = true;
    else
        lane->perPixel = {};
    if (m_current && m_current->place == place)
        describe();
    if (!m_repaint.isActive())
        m_repaint.start();
}

/// Sorts the lanes by their keys, so that a new lane does not change the order of the existing lanes.
void TimelineView::collectLanes()
{
    if (!m_arePlacesOld && m_places.size() == m_lanes.size())
        return;
    m_arePlacesOld = false;
    m_places = m_history.lockIds();
    std::sort(m_places.begin(), m_places.end());
    QHash<History::LockId, Lane> lanes;
    for (const History::LockId &place : std::as_const(m_places))
        lanes.insert(place, m_lanes.value(place));
    m_lanes = std::move(lanes);
    updateBars();
    scrollToSelection();
}

void TimelineView::setChosenKey(const std::optional<QByteArray> &key)
{
    if (m_chosenKey == key)
        return;
    m_chosenKey = key;
    m_isChosenToBeShown = key.has_value();
    scrollToSelection();
    viewport()->update();
}

/// Scrolls to the selected key once, so that the user can scroll elsewhere afterwards.
void TimelineView::scrollToSelection()
{
    if (!m_isChosenToBeShown || m_arePlacesOld)
        return;
    const auto found = std::lower_bound(m_places.cbegin(), m_places.cend(), History::LockId {*m_chosenKey, 0});
    if (found == m_places.cend() || found->key != *m_chosenKey)
        return;
    m_isChosenToBeShown = false;
    const int top = static_cast<int>(found - m_places.cbegin()) * laneHeight;
    const int room = timeArea().height();
    QScrollBar *bar = verticalScrollBar();
    if (top < bar->value() || top + laneHeight > bar->value() + room)
        bar->setValue(top - (room - laneHeight) / 2);
}

void TimelineView::updateBars()
{
    const int room = timeArea().height();
    const int wanted = static_cast<int>(m_places.size()) * laneHeight;
    verticalScrollBar()->setRange(0, std::max(0, wanted - room));
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setSingleStep(laneHeight);
}

/// Returns the area without the names at the left, the axis at the top and the legend at the bottom.
QRect TimelineView::timeArea() const
{
    const int line = fontMetrics().height() + 10;
    const int names = std::clamp(viewport()->width() / 5, 90, 240);
    return viewport()->rect().adjusted(names, line, 0, -line);
}

int TimelineView::laneAt(int y) const
{
    if (y < timeArea().top() || y > timeArea().bottom())
        return -1;
    const int lane = (y - timeArea().top() + verticalScrollBar()->value()) / laneHeight;
    return lane < m_places.size() ? lane : -1;
}

QRectF TimelineView::stripOf(int lane) const
{
    const QRect area = timeArea();
    return {double(area.left()), double(area.top() + lane * laneHeight - verticalScrollBar()->value()),
            double(area.width()), double(laneHeight)};
}

const std::vector<LaneBox> &TimelineView::boxesOf(int lane)
{
    Lane &known = m_lanes[m_places[lane]];
    if (known.perPixel != m_scale.perPixel()) {
        known.boxes = layOut(m_history.holds(m_places[lane]), m_scale.perPixel());
        known.perPixel = m_scale.perPixel();
    }
    return known.boxes;
}

void TimelineView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.setLayoutDirection(Qt::LeftToRight); // Keys, tokens and times run from left to right in every language.
    const theme::Theme &theme = appearance().theme();
    painter.fillRect(viewport()->rect(), theme.surface);
    collectLanes();
    const MonotonicTime now = m_clock.now();
    m_paintedFor = now;
    if (m_places.isEmpty()) {
        paintNothing(painter);
        return widgets::paintFocusFrame(painter, *this, theme.accent);
    }
    if (isFollowing())
        m_scale.put(now, timeArea().width() - rightMargin);
    paintAxis(painter, now);
    paintLanes(painter, timeArea(), now);
    paintLegend(painter);
    widgets::paintFocusFrame(painter, *this, theme.accent);
}

void TimelineView::paintLanes(QPainter &painter, const QRect &area, MonotonicTime now)
{
    const theme::Theme &theme = appearance().theme();
    const int first = std::max(0, verticalScrollBar()->value() / laneHeight);
    const int last = std::min(static_cast<int>(m_places.size()), first + area.height() / laneHeight + 2);
    const LanePainter lanes(painter, m_scale, theme, now);
    painter.save();
    painter.setClipRect(area);
    for (const History::Gap &gap : m_history.gaps())
        lanes.paintGap(gap, area);
    for (int lane = first; lane < last; ++lane) {
        const bool isCurrent = m_current && m_current->place == m_places[lane];
        const QRectF strip = stripOf(lane);
        painter.setPen(theme.border);
        painter.drawLine(strip.bottomLeft(), strip.bottomRight());
        lanes.paint(m_history.holds(m_places[lane]), boxesOf(lane), strip, isCurrent ? current() : nullptr);
    }
    const double x = area.left() + m_scale.xAt(now);
    painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.restore();
    paintNames(painter, first, last);
}

void TimelineView::paintNames(QPainter &painter, int first, int last) const
{
    const theme::Theme &theme = appearance().theme();
    const QRect area = timeArea();
    painter.save();
    painter.setClipRect(QRect(0, area.top(), area.left(), area.height()));
    painter.setFont(appearance().monospaced());
    for (int lane = first; lane < last; ++lane) {
        const History::LockId &place = m_places[lane];
        const QRectF strip = stripOf(lane);
        const QRectF room(8, strip.top(), area.left() - 16, strip.height());
        const auto &holds = m_history.holds(place);
        const bool isHeld = !holds.empty() && !holds.back().isOver();
        if (place.key == m_chosenKey)
            painter.fillRect(QRectF(0, strip.top(), area.left(), strip.height()), theme.accentSoft);
        painter.setPen(isHeld ? theme.text : theme.muted);
        QString name = base::printable(place.key, 200);
        if (place.node > 0)
            name += tr(" @%1").arg(place.node);
        painter.drawText(room, static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(room.width())));
    }
    painter.restore();
    painter.setPen(theme.border);
    painter.drawLine(area.topLeft(), area.bottomLeft());
}

/// Paints the time axis with wall-clock times of this machine.
void TimelineView::paintAxis(QPainter &painter, MonotonicTime now) const
{
    const theme::Theme &theme = appearance().theme();
    const QRect area = timeArea();
    const auto step = m_scale.step(90);
    const auto wallNow = m_clock.wallNow().time_since_epoch();
    const auto offset = std::chrono::nanoseconds(wallNow) - now.time_since_epoch();
    const auto leftWall = m_scale.left().time_since_epoch() + offset;
    const QString format = step < 1s   ? QStringLiteral("HH:mm:ss.zzz")
                         : step < 1min ? QStringLiteral("HH:mm:ss")
                                       : QStringLiteral("HH:mm");
    for (auto mark = leftWall / step * step;; mark += step) {
        const double x = area.left() + m_scale.xAt(MonotonicTime(mark - offset));
        if (x > area.right())
            break;
        if (x < area.left())
            continue;
        painter.setPen(theme.border);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const auto milliseconds = std::chrono::round<std::chrono::milliseconds>(mark).count();
        painter.setPen(theme.muted);
        painter.drawText(QRectF(x + 3, 0, 110, area.top()), static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine,
                         QDateTime::fromMSecsSinceEpoch(milliseconds).toString(format));
    }
}

void TimelineView::paintLegend(QPainter &painter) const
{
    constexpr int signSize = 9;
    const theme::Theme &theme = appearance().theme();
    const QRect area = timeArea();
    const QRect line(0, area.bottom() + 1, viewport()->width(), viewport()->height() - area.bottom() - 1);
    painter.fillRect(line, theme.surface);
    painter.setPen(theme.border);
    painter.drawLine(line.topLeft(), line.topRight());
    int x = 12;
    for (const EndMark mark : {EndMark::Released, EndMark::Expired, EndMark::Deleted, EndMark::Evicted,
                               EndMark::Flushed, EndMark::Unknown}) {
        const QString text = endMarkText(mark);
        const int width = painter.fontMetrics().horizontalAdvance(text);
        if (x + width + 20 > line.right())
            break;
        paintEndMark(painter, mark, {x + signSize / 2.0, line.center().y() + 0.5}, signSize, theme);
        painter.setPen(theme.muted);
        painter.drawText(QRect(x + signSize + 6, line.top(), width + 2, line.height()), Qt::AlignVCenter, text);
        x += signSize + width + 24;
    }
}

void TimelineView::paintNothing(QPainter &painter) const
{
    painter.setPen(appearance().theme().muted);
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No lock has been held since watching began."));
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateBars();
}

void TimelineView::scrollContentsBy(int, int)
{
    viewport()->update();
}

void TimelineView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    if (isFollowing())
        m_follow.start();
}

void TimelineView::hideEvent(QHideEvent *event)
{
    QAbstractScrollArea::hideEvent(event);
    m_follow.stop();
}

} // namespace latchkey::ui::timeline

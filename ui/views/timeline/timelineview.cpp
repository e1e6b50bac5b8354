#include "ui/views/timeline/timelineview.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/focusframe.h"
#include "ui/views/timeline/holdtip.h"
#include "ui/views/timeline/lanepainter.h"
#include "ui/views/timeline/timelineframe.h"

#include <QKeyEvent>
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
    , m_lanes(history)
    , m_selection(history)
{
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(tr("Timeline of locks"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(false);
    m_repaint.setSingleShot(true);
    m_repaint.setInterval(repaintInterval);
    connect(&m_repaint, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
    m_follow.setInterval(repaintInterval);
    connect(&m_follow, &QTimer::timeout, this, &TimelineView::showCurrentTime);
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
void TimelineView::showCurrentTime()
{
    if (m_clock.now() - m_paintedFor >= m_scale.perPixel() / 2 || m_clock.now() < m_paintedFor)
        viewport()->update();
}

void TimelineView::laneChanged(const History::LockId &lockId)
{
    m_lanes.change(lockId);
    if (m_selection.isIn(lockId))
        describe();
    if (!m_repaint.isActive())
        m_repaint.start();
}

void TimelineView::collectLanes()
{
    if (!m_lanes.collect())
        return;
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
    if (!m_isChosenToBeShown || !m_lanes.areCollected())
        return;
    const auto found =
        std::lower_bound(m_lanes.locks().cbegin(), m_lanes.locks().cend(), History::LockId {*m_chosenKey, 0});
    if (found == m_lanes.locks().cend() || found->key != *m_chosenKey)
        return;
    m_isChosenToBeShown = false;
    const int top = static_cast<int>(found - m_lanes.locks().cbegin()) * laneHeight;
    const int room = timeArea().height();
    QScrollBar *bar = verticalScrollBar();
    if (top < bar->value() || top + laneHeight > bar->value() + room)
        bar->setValue(top - (room - laneHeight) / 2);
}

void TimelineView::updateBars()
{
    const int room = timeArea().height();
    const int wanted = static_cast<int>(m_lanes.locks().size()) * laneHeight;
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
    return lane < m_lanes.locks().size() ? lane : -1;
}

QRectF TimelineView::stripOf(int lane) const
{
    const QRect area = timeArea();
    return {double(area.left()), double(area.top() + lane * laneHeight - verticalScrollBar()->value()),
            double(area.width()), double(laneHeight)};
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
    if (m_lanes.locks().isEmpty()) {
        paintNothing(painter);
        return widgets::paintFocusFrame(painter, *this, theme.accent);
    }
    if (isFollowing())
        m_scale.put(now, timeArea().width() - rightMargin);
    const TimelineFrame frame(painter, theme, timeArea(), viewport()->rect());
    frame.paintAxis(m_scale, m_clock, now);
    paintLanes(painter, timeArea(), now);
    frame.paintLegend();
    widgets::paintFocusFrame(painter, *this, theme.accent);
}

void TimelineView::paintLanes(QPainter &painter, const QRect &area, MonotonicTime now)
{
    const theme::Theme &theme = appearance().theme();
    const int first = std::max(0, verticalScrollBar()->value() / laneHeight);
    const int last = std::min(static_cast<int>(m_lanes.locks().size()), first + area.height() / laneHeight + 2);
    const LanePainter lanes(painter, m_scale, theme, now);
    painter.save();
    painter.setClipRect(area);
    for (const History::Gap &gap : m_history.gaps())
        lanes.paintGap(gap, area);
    for (int lane = first; lane < last; ++lane) {
        const bool isCurrent = m_selection.isIn(m_lanes.locks()[lane]);
        const QRectF strip = stripOf(lane);
        painter.setPen(theme.border);
        painter.drawLine(strip.bottomLeft(), strip.bottomRight());
        lanes.paint(m_lanes.holds(lane), m_lanes.boxes(lane, m_scale), strip,
                    isCurrent ? m_selection.current() : nullptr);
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
        const History::LockId &lockId = m_lanes.locks()[lane];
        const QRectF strip = stripOf(lane);
        const QRectF room(8, strip.top(), area.left() - 16, strip.height());
        const auto &holds = m_history.holds(lockId);
        const bool isHeld = !holds.empty() && !holds.back().isOver();
        if (lockId.key == m_chosenKey)
            painter.fillRect(QRectF(0, strip.top(), area.left(), strip.height()), theme.accentSoft);
        painter.setPen(isHeld ? theme.text : theme.muted);
        QString name = base::printable(lockId.key, 200);
        if (lockId.node > 0)
            name += tr(" @%1").arg(lockId.node);
        painter.drawText(room, static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(room.width())));
    }
    painter.restore();
    painter.setPen(theme.border);
    painter.drawLine(area.topLeft(), area.bottomLeft());
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

void TimelineView::updateFollowing()
{
    if (isFollowing() && isVisible())
        m_follow.start();
    else
        m_follow.stop();
    viewport()->update();
}

void TimelineView::zoom(double factor)
{
    zoomAt(factor, {timeArea().left() + timeArea().width() / 2.0, 0});
}

void TimelineView::zoomAt(double factor, QPointF position)
{
    const QRect area = timeArea();
    m_scale.zoom(factor, isFollowing() ? area.width() - rightMargin : position.x() - area.left());
    viewport()->update();
}

void TimelineView::scrollTime(double pixels)
{
    setFollowing(false);
    m_scale.scroll(pixels);
    viewport()->update();
}

void TimelineView::goToBeginning()
{
    const auto first = m_lanes.firstTime();
    if (!first)
        return;
    setFollowing(false);
    m_scale.put(*first, rightMargin);
    viewport()->update();
}

void TimelineView::showAll()
{
    goToBeginning();
    const int room = std::max(1, timeArea().width() - 2 * rightMargin);
    m_scale = TimeScale(m_scale.left(), (m_clock.now() - m_scale.timeAt(rightMargin)) / room);
    goToBeginning();
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return moveToHold(-1);
    case Qt::Key_Right:
        return moveToHold(1);
    case Qt::Key_Up:
        return moveToLane(-1);
    case Qt::Key_Down:
        return moveToLane(1);
    case Qt::Key_PageUp:
        return scrollTime(-timeArea().width() * 0.8);
    case Qt::Key_PageDown:
        return scrollTime(timeArea().width() * 0.8);
    case Qt::Key_Home:
        return goToBeginning();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const Hold *hold = m_selection.current())
            Q_EMIT holdChosen(*hold);
        return;
    default:
        FollowingScrollArea::keyPressEvent(event);
    }
}

void TimelineView::press(QPoint position)
{
    if (const Hold *hold = holdAt(position)) {
        makeCurrent(*hold);
        Q_EMIT holdChosen(*hold);
    }
}

QString TimelineView::toolTipAt(QPoint position)
{
    const Hold *hold = holdAt(position);
    return hold == nullptr ? QString() : holdTip(*hold, m_clock);
}

const Hold *TimelineView::holdAt(QPoint position)
{
    const int lane = laneAt(position.y());
    if (lane < 0 || position.x() < timeArea().left())
        return nullptr;
    return m_lanes.holdAt(lane, position.x() - timeArea().left(), m_scale, m_clock.now());
}

void TimelineView::makeCurrent(const Hold &hold)
{
    m_selection.select(hold);
    describe();
    viewport()->update();
}

void TimelineView::moveTo(const Hold *hold)
{
    if (hold == nullptr)
        return;
    makeCurrent(*hold);
    bringIntoView(*hold);
}

void TimelineView::moveToLane(int by)
{
    collectLanes();
    moveTo(m_selection.holdInNeighbourLane(by, m_lanes.locks()));
}

void TimelineView::moveToHold(int by)
{
    if (m_selection.current() == nullptr)
        moveToLane(0);
    else
        moveTo(m_selection.neighbourInLane(by));
}

void TimelineView::bringIntoView(const Hold &hold)
{
    const int width = timeArea().width();
    const double from = m_scale.xAt(hold.from.middle());
    const double to = m_scale.xAt(std::min(endOf(hold), m_clock.now()));
    if (to < 0 || from > width) {
        setFollowing(false);
        m_scale.put(hold.from.middle(), width / 3.0);
    }
    const auto lane = static_cast<int>(m_lanes.locks().indexOf({hold.key, hold.node}));
    const QRectF strip = stripOf(lane);
    QScrollBar *bar = verticalScrollBar();
    if (strip.top() < timeArea().top())
        bar->setValue(bar->value() - static_cast<int>(timeArea().top() - strip.top()));
    else if (strip.bottom() > timeArea().bottom())
        bar->setValue(bar->value() + static_cast<int>(strip.bottom() - timeArea().bottom()));
}

/// Sets the description for screen readers: the current hold, or an introduction.
void TimelineView::describe()
{
    const Hold *hold = m_selection.current();
    setAccessibleDescription(hold == nullptr ? tr("A lane for each lock. Left and Right select a hold, Up and Down a "
                                                  "lock, plus and minus zoom, Home goes to the beginning, End to now.")
                                             : holdTip(*hold, m_clock));
}

} // namespace latchkey::ui::timeline

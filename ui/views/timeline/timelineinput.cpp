// The user input of a TimelineView. The painting is in timelineview.cpp.

#include "core/inspect/history/historytexts.h"
#include "ui/views/timeline/timelineview.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using history::History;
using history::Hold;
using namespace std::chrono_literals;

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
    auto first = MonotonicTime::max();
    for (const History::LockId &place : m_history.lockIds()) {
        const auto &holds = m_history.holds(place);
        if (!holds.empty())
            first = std::min(first, holds.front().from.middle());
    }
    if (first == MonotonicTime::max())
        return;
    setFollowing(false);
    m_scale.put(first, rightMargin);
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
        if (const Hold *hold = current())
            Q_EMIT holdChosen(*hold);
        return;
    default:
        FollowingScrollArea::keyPressEvent(event);
    }
}

void TimelineView::press(QPoint position)
{
    if (const Hold *hold = holdAt(position)) {
        makeCurrent(hold);
        Q_EMIT holdChosen(*hold);
    }
}

QString TimelineView::toolTipAt(QPoint position)
{
    const Hold *hold = holdAt(position);
    return hold == nullptr ? QString() : tipFor(*hold);
}

const Hold *TimelineView::holdAt(QPoint position)
{
    const int lane = laneAt(position.y());
    if (lane < 0 || position.x() < timeArea().left())
        return nullptr;
    // A tolerance of two pixels makes narrow boxes easier to hit.
    const double x = position.x() - timeArea().left();
    const auto &boxes = boxesOf(lane);
    const auto now = m_clock.now();
    const auto [first, last] = visibleBoxes(boxes, m_scale.timeAt(x - 2), std::min(m_scale.timeAt(x + 2), now));
    if (first == last)
        return nullptr;
    const auto &holds = m_history.holds(m_places[lane]);
    const LaneBox &box = boxes[first];
    // The hold nearest to the pointer is used if a box has several.
    const auto time = m_scale.timeAt(x);
    std::size_t best = box.first;
    for (std::size_t i = box.first; i < box.first + box.count && i < holds.size() && holds[i].from.middle() <= time;
         ++i)
        best = i;
    return best < holds.size() ? &holds[best] : nullptr;
}

const Hold *TimelineView::find(const Current &wanted) const
{
    const auto &holds = m_history.holds(wanted.place);
    const auto found = std::ranges::find(holds, wanted.from, [](const Hold &hold) { return hold.from.notAfter; });
    return found == holds.end() ? nullptr : &*found;
}

const Hold *TimelineView::current() const
{
    return m_current ? find(*m_current) : nullptr;
}

void TimelineView::makeCurrent(const Hold *hold)
{
    if (hold == nullptr)
        return;
    m_current = Current {{hold->key, hold->node}, hold->from.notAfter};
    describe();
    viewport()->update();
}

void TimelineView::moveToLane(int by)
{
    collectLanes();
    if (m_places.isEmpty())
        return;
    const auto at = m_current ? m_places.indexOf(m_current->place) : -1;
    const auto next = std::clamp<qsizetype>(at < 0 ? 0 : at + by, 0, m_places.size() - 1);
    const auto &holds = m_history.holds(m_places[next]);
    if (holds.empty())
        return;
    // The hold at the same time is used, or the last one before.
    const Hold *before = current();
    auto found = holds.end();
    if (before != nullptr) {
        found = std::ranges::partition_point(
            holds, [&](const Hold &hold) { return hold.from.middle() <= before->from.middle(); });
    }
    const Hold &hold = found == holds.begin() ? holds.front() : *std::prev(found);
    makeCurrent(&hold);
    bringIntoView(hold);
}

void TimelineView::moveToHold(int by)
{
    const Hold *before = current();
    if (before == nullptr)
        return moveToLane(0);
    const auto &holds = m_history.holds(m_current->place);
    const auto found = std::ranges::find(holds, m_current->from, [](const Hold &hold) { return hold.from.notAfter; });
    const auto next = std::clamp<std::ptrdiff_t>(found - holds.begin() + by, 0, std::ssize(holds) - 1);
    makeCurrent(&holds[static_cast<std::size_t>(next)]);
    bringIntoView(holds[static_cast<std::size_t>(next)]);
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
    const auto lane = static_cast<int>(m_places.indexOf({hold.key, hold.node}));
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
    const Hold *hold = current();
    setAccessibleDescription(hold == nullptr ? tr("A lane for each lock. Left and Right select a hold, Up and Down a "
                                                  "lock, plus and minus zoom, Home goes to the beginning, End to now.")
                                             : tipFor(*hold));
}

QString TimelineView::tipFor(const Hold &hold) const
{
    QStringList lines {base::printable(hold.key, 200)};
    lines += hold.holder ? tr("Holder: %1").arg(base::printable(*hold.holder, 200)) : tr("Holder: unknown");
    const MonotonicTime now = m_clock.now();
    const base::WallTime wallNow = m_clock.wallNow();
    lines += tr("%1 %2", "acquired, and when")
                 .arg(history::startText(hold.start), history::momentText(hold.from, now, wallNow));
    lines += hold.isOver() ? tr("Held for %1, until %2")
                                 .arg(history::heldText(hold, now), history::momentText(*hold.until, now, wallNow))
                           : tr("Held for %1 so far").arg(history::heldText(hold, now));
    if (hold.extensionCount > 0)
        lines += tr("Extended %n time(s)", nullptr, static_cast<int>(hold.extensionCount));
    for (const history::OwnChange &change : hold.ownChanges)
        lines += history::ownChangeText(change, now, wallNow);
    if (hold.isOver())
        lines += history::endSentence(hold);
    if (hold.overlaps)
        lines += tr("Another client held it at the same time.");
    return lines.join(u'\n');
}

} // namespace latchkey::ui::timeline

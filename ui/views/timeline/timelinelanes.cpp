#include "ui/views/timeline/timelinelanes.h"

#include <algorithm>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using history::History;
using history::Hold;

TimelineLanes::TimelineLanes(const History &history)
    : m_history(history)
{}

void TimelineLanes::change(const History::LockId &lockId)
{
    const auto lane = m_lanes.find(lockId);
    if (lane == m_lanes.end())
        m_areOld = true;
    else
        lane->perPixel = {};
}

/// Sorts the lanes by their keys, so that a new lane does not change the order of the existing lanes.
bool TimelineLanes::collect()
{
    if (!m_areOld && m_lockIds.size() == m_lanes.size())
        return false;
    m_areOld = false;
    m_lockIds = m_history.lockIds();
    std::sort(m_lockIds.begin(), m_lockIds.end());
    QHash<History::LockId, Lane> lanes;
    for (const History::LockId &lockId : std::as_const(m_lockIds))
        lanes.insert(lockId, m_lanes.value(lockId));
    m_lanes = std::move(lanes);
    return true;
}

const std::vector<LaneBox> &TimelineLanes::boxes(int lane, const TimeScale &scale)
{
    Lane &known = m_lanes[m_lockIds[lane]];
    if (known.perPixel != scale.perPixel()) {
        known.boxes = layOut(holds(lane), scale.perPixel());
        known.perPixel = scale.perPixel();
    }
    return known.boxes;
}

const Hold *TimelineLanes::holdAt(int lane, double x, const TimeScale &scale, MonotonicTime now)
{
    // A tolerance of two pixels makes narrow boxes easier to hit.
    const auto &all = boxes(lane, scale);
    const auto [first, last] = visibleBoxes(all, scale.timeAt(x - 2), std::min(scale.timeAt(x + 2), now));
    if (first == last)
        return nullptr;
    const LaneBox &box = all[first];
    const auto time = scale.timeAt(x);
    const auto &inLane = holds(lane);
    std::size_t best = box.first;
    for (std::size_t i = box.first; i < box.first + box.count && i < inLane.size() && inLane[i].from.middle() <= time;
         ++i)
        best = i;
    return best < inLane.size() ? &inLane[best] : nullptr;
}

std::optional<MonotonicTime> TimelineLanes::firstTime() const
{
    auto first = MonotonicTime::max();
    for (const History::LockId &lockId : m_history.lockIds()) {
        const auto &inLane = m_history.holds(lockId);
        if (!inLane.empty())
            first = std::min(first, inLane.front().from.middle());
    }
    return first == MonotonicTime::max() ? std::nullopt : std::optional(first);
}

} // namespace latchkey::ui::timeline

#pragma once

#include "core/inspect/history/history.h"
#include "ui/views/timeline/lanelayout.h"
#include "ui/views/timeline/timescale.h"

#include <QHash>
#include <QList>

namespace latchkey::ui::timeline {

/// The lanes of a timeline: the locks of a history in the order of their keys, each with the boxes of its holds.
///
/// The boxes of a lane are computed again when the lane or the scale has changed. Owned by the TimelineView. The
/// history is not owned. It does not know where the lanes are painted.
class TimelineLanes final
{
public:
    explicit TimelineLanes(const history::History &history);

    /// Marks the lane of a lock as changed.
    void change(const history::History::LockId &lockId);
    /// Collects the locks, if there are new ones. Returns whether the lanes have changed.
    bool collect();
    /// Returns whether all locks have been collected.
    [[nodiscard]] bool areCollected() const { return !m_areOld; }

    /// Returns the locks, from top to bottom.
    [[nodiscard]] const QList<history::History::LockId> &locks() const { return m_lockIds; }
    [[nodiscard]] const std::deque<history::Hold> &holds(int lane) const { return m_history.holds(m_lockIds[lane]); }
    [[nodiscard]] const std::vector<LaneBox> &boxes(int lane, const TimeScale &scale);
    /// Returns the hold at a position of the scale, or null. The hold nearest to the position is used if a box has
    /// several.
    [[nodiscard]] const history::Hold *holdAt(int lane, double x, const TimeScale &scale, base::MonotonicTime now);
    /// Returns the time of the first hold. Absent without holds.
    [[nodiscard]] std::optional<base::MonotonicTime> firstTime() const;

private:
    struct Lane
    {
        std::vector<LaneBox> boxes;
        std::chrono::nanoseconds perPixel {}; ///< Scale of the layout; zero if the layout is missing or out of date.
    };

    const history::History &m_history;
    QList<history::History::LockId> m_lockIds;
    QHash<history::History::LockId, Lane> m_lanes;
    bool m_areOld = true;
};

} // namespace latchkey::ui::timeline

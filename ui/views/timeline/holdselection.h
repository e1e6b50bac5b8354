#pragma once

#include "core/inspect/history/history.h"

#include <optional>

namespace latchkey::ui::timeline {

/// The selected hold of a history. The hold is identified by its lock and its start, which do not change while the
/// history grows.
///
/// Owned by the TimelineView. The history is not owned. It does not know the places of the lanes on the screen.
class HoldSelection final
{
public:
    explicit HoldSelection(const history::History &history);

    /// Returns the selected hold. Null without a selection, or if the history has dropped the hold.
    [[nodiscard]] const history::Hold *current() const;
    /// Returns whether a hold of this lock is selected.
    [[nodiscard]] bool isIn(const history::History::LockId &lockId) const;
    void select(const history::Hold &hold);
    /// Returns the hold that is `by` positions after the selected one in its lane, or the nearest one. Null without a
    /// selection.
    [[nodiscard]] const history::Hold *neighbourInLane(int by) const;
    /// Returns the last hold in the lane `by` positions below that starts no later than the selected hold, or else the
    /// first hold of that lane. Without a selection, returns the last hold of the first lane. Null if the lane has no
    /// hold. `lanes`: their locks, from top to bottom.
    [[nodiscard]] const history::Hold *holdInNeighbourLane(int by, const QList<history::History::LockId> &lanes) const;

private:
    struct Selected
    {
        history::History::LockId lockId;
        base::MonotonicTime from;
    };

    const history::History &m_history;
    std::optional<Selected> m_selected;
};

} // namespace latchkey::ui::timeline

#pragma once

#include "core/inspect/history/statistics.h"

#include <deque>
#include <optional>

namespace latchkey::history {

/// A correction of the holds of one lock after a change by this program. An observed end, renewal or new hold that the
/// change has caused is attributed to the change.
///
/// Made by the History for each change. Holds, statistics and change are not owned. It emits no signals.
class OwnChangeEffect final
{
public:
    OwnChangeEffect(std::deque<Hold> &holds, Statistics &statistics, const OwnChange &change);

    /// Attributes the observed end of a hold to this program. Returns false if no end matches the change.
    [[nodiscard]] bool correctEnd();
    /// Sets the new expiry of the current hold, and removes the renewals that were its effect.
    void changeExpiry(Hold &hold);
    /// Continues the last hold that this program has ended. Returns the number of removed holds: a hold that was
    /// observed to appear is the restored one. Absent if this program has not ended the last hold.
    [[nodiscard]] std::optional<std::size_t> restore();
    /// Notes the change at the current hold, and returns the end of the hold as a key event.
    [[nodiscard]] events::KeyEvent end(Hold &hold) const;

private:
    void note(Hold &hold) const;
    void setEnd(Hold &hold) const;

    std::deque<Hold> &m_holds;
    Statistics &m_statistics;
    const OwnChange &m_change;
};

} // namespace latchkey::history

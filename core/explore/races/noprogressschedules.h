#pragma once

#include "core/explore/races/finderservers.h"
#include "core/explore/races/strategy.h"

namespace latchkey::races {

/// Returns whether clients block each other in a schedule of NoProgressSchedules: none has crashed, and each would end
/// alone. A client that does not end alone may wait for its next job. `program`: null for a recipe.
[[nodiscard]] bool isMutualBlock(const ExternalProgram *program, const schedules::RecordedSchedule &schedule);

/// The schedules found so far in which the clients of a program make no progress: a deadlock and a livelock.
///
/// Such a schedule breaks none of the rules, but is rarely intended; see isMutualBlock(). Owned by the Finder. A value.
class NoProgressSchedules final
{
public:
    /// Replays the deadlock and the livelock that the search has found, and keeps each that is better than the current
    /// one. Errors as those of Finder::step().
    [[nodiscard]] base::Result<void> note(const Strategy &search, Transitions &transitions, FinderServers &servers);

    /// Returns the shortest schedule that ends with clients waiting forever.
    [[nodiscard]] const std::optional<schedules::RecordedSchedule> &deadlock() const { return m_deadlock; }
    /// Returns a schedule that ends with clients repeating commands forever.
    [[nodiscard]] const std::optional<schedules::RecordedSchedule> &livelock() const { return m_livelock; }

private:
    [[nodiscard]] base::Result<void> recordDeadlock(const Schedule &found, Transitions &transitions,
                                                    FinderServers &servers);
    [[nodiscard]] base::Result<void> recordLivelock(const Schedule &found, Transitions &transitions,
                                                    FinderServers &servers);

    std::optional<schedules::RecordedSchedule> m_deadlock;
    Schedule m_deadlockMoves; ///< The schedule of m_deadlock.
    std::optional<schedules::RecordedSchedule> m_livelock;
};

} // namespace latchkey::races

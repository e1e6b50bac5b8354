#pragma once

#include "core/explore/races/transitions.h"
#include "core/explore/schedules/scheduleplayer.h"

namespace latchkey::races {

/// A replay of a schedule from the start on real servers, with a real connection for each client. It compares the
/// result with the search.
///
/// The search executes each command only once for each state of a server, and combines the stored effects. The replay
/// checks this combination, without stored effects. After each step, play() compares the keys of the servers with the
/// model, and the recipe's next command with the story. The Finder decides which schedules are replayed.
class ScheduleReplay final
{
public:
    /// Creates a replay. `servers`: the finder's own servers, one for each server of the subject; they are emptied.
    /// `clock`: clock of the servers, not owned; null: the machine's clock.
    explicit ScheduleReplay(std::vector<net::Endpoint> servers, shim::ServerClock *clock = nullptr);

    /// Replays the schedule. `story`: the schedule as returned by narrate(). Error (Protocol): a reply or a key differs
    /// from the transitions.
    [[nodiscard]] base::Result<void> play(Transitions &transitions, const Schedule &schedule,
                                          const schedules::RecordedSchedule &recorded);

    /// Plays the story alone, without the explored subject, as any other player would. Error (Protocol): a server's
    /// answer differs from the story.
    [[nodiscard]] base::Result<void> playRecorded(const schedules::RecordedSchedule &recorded) const;

private:
    [[nodiscard]] base::Result<void> connect();
    [[nodiscard]] static base::Result<void> playStep(schedules::SchedulePlayer &player,
                                                     const schedules::ScheduleStep &step, const Move &move,
                                                     Attempt *attempt, base::ErrorKind failed);
    [[nodiscard]] base::Result<void> compare(const Model &model, const State &state, const base::Text &after);

    const std::vector<net::Endpoint> m_servers;
    shim::ServerClock *const m_clock;                                  ///< Not owned; may be null.
    std::vector<std::unique_ptr<net::BlockingConnection>> m_observers; ///< One per server; set by connect().
};

} // namespace latchkey::races

#pragma once

#include "core/explore/races/serverfaults.h"
#include "core/explore/schedules/recordedschedule.h"

#include <map>

namespace latchkey::races {

/// The part of a narration that describes server faults. It records which steps have written to each server.
///
/// Owned by narrate(), one for each story.
class ServerFaultNarration final
{
public:
    /// Records the writes of a move. `steps`: number of steps of the story after the move.
    void record(const Model &model, const State &before, const State &after, const Move &move, std::size_t steps);
    /// Returns the fault as a step.
    [[nodiscard]] schedules::ScheduleStep stepOf(const Model &model, const State &before, const Move &move);

    /// Records in the step that its command, or the reply to it, does not arrive.
    static void narrateFailure(const Model &model, const State &before, const Move &move,
                               schedules::ScheduleStep &step);

    /// Returns the kind of step that describes the server fault.
    [[nodiscard]] static schedules::ScheduleStep::Kind kindOf(Move::Kind kind);

private:
    std::map<int, std::vector<std::size_t>> m_writes; ///< Steps that have written to each server and are not lost.
};

} // namespace latchkey::races

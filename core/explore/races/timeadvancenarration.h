#pragma once

#include "core/explore/races/model.h"
#include "core/explore/schedules/recordedschedule.h"

namespace latchkey::races {

/// Converts a move that advances the time to steps of a story, if the clients are programs. Returns one step for each
/// key that expires. If no key expires, the step is the wait of one client.
[[nodiscard]] std::vector<schedules::ScheduleStep> narrateTimeAdvance(const Model &model, const State &before,
                                                                      const Move &move);

} // namespace latchkey::races

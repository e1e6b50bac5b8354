#pragma once

#include "core/explore/races/transitions.h"
#include "core/explore/schedules/recordedschedule.h"

namespace latchkey::races {

/// Converts the schedule to a story with commands, replies and outcomes. The story can be read and replayed without
/// knowledge of the recipe or the finder. The caller sets title and verdict. Error: the server cannot be asked.
[[nodiscard]] base::Result<schedules::RecordedSchedule> narrate(Transitions &transitions, const Schedule &schedule);

} // namespace latchkey::races

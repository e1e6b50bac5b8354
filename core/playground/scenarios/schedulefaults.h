#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/playground/scenarios/scenario.h"

// Server faults of recorded schedules, played with client processes.

namespace latchkey::scenarios {

/// Returns the action of a failover, a restart or a clock jump. Absent for any other step.
[[nodiscard]] std::optional<StepAction> serverFaultAction(const schedules::ScheduleStep &step);

/// Returns a sentence with the fault and with the change of the server by the player. Empty for any other step.
[[nodiscard]] base::Text serverFaultText(const schedules::ScheduleStep &step, int servers);

/// Marks the steps before which the player keeps the keys of their server, because a later fault loses their writes.
void markKeptSteps(const schedules::RecordedSchedule &schedule, std::vector<ScenarioStep> &steps);

} // namespace latchkey::scenarios

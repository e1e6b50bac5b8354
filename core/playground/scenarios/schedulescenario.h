#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// Converts a recorded story, such as a counterexample of the race finder, into one with clients. Each client runs
/// the recipe itself and is paused before every command, so the recorded order is kept.
///
/// The recipe decides which command is sent; the record only selects the client that continues. Each step expects the
/// recorded command, an equivalent reply and the recorded clients inside. Tokens and dates may differ, because they
/// cannot be known beforehand. The player shortens a lease that expires, because leases are hours long. For a passed
/// deadline, it moves the clients' clocks.
///
/// See scenarioFromProgram() for a program outside the recipes. Error (Usage): the record lacks the clients' operations
/// or their key, or the recipe is unknown. The format is described in resources/stories/README.md.
[[nodiscard]] base::Result<Scenario> scenarioFrom(const schedules::RecordedSchedule &schedule);

/// Reads a story file of either version. `name`: file name for error messages. Errors: those of readScenario() and
/// scenarioFrom().
[[nodiscard]] base::Result<Scenario> readAnyStory(const QString &name, const QByteArray &contents);

} // namespace latchkey::scenarios

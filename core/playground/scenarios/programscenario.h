#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// Returns whether the story was recorded with a program, not with a recipe. Such a story has no recipe operations and
/// no requested leases.
[[nodiscard]] bool isOfProgram(const schedules::RecordedSchedule &schedule);

/// Converts a story with isOfProgram() into a scenario. Each client sends the recorded commands of one process of the
/// program, and the same replies are expected. The program is not run. Subscriptions are not sent, and a reply with a
/// time or a number of subscribers is not compared.
///
/// A client is inside from its own statement until it states otherwise or crashes. A TTL expires only at the steps of
/// the story that contain its expiry. Error (Usage): a step that a program cannot make.
[[nodiscard]] base::Result<Scenario> scenarioFromProgram(const schedules::RecordedSchedule &schedule);

/// Returns the reason why a story with a server fault is not played with client processes.
[[nodiscard]] base::Text serverFaultReason();

/// Returns `A is inside.`, or `A and B are both inside!` `others`: clients that were already inside.
[[nodiscard]] base::Text insideText(const QString &client, const QStringList &others);

/// Returns the title of the story, in the current language if the race finder gave it.
[[nodiscard]] QString titleOf(const schedules::RecordedSchedule &schedule);

/// Returns the verdict of the story as a sentence, in the current language if it is one of the race finder's: `A key is
/// left behind that never expires.`
[[nodiscard]] QString verdictOf(const schedules::RecordedSchedule &schedule);

} // namespace latchkey::scenarios

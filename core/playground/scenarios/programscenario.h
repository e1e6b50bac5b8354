#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// Whether a program outside the recipes recorded the story. Such a story has no recipe operations and no requested
/// leases.
[[nodiscard]] bool isOfProgram(const schedules::RecordedSchedule &story);

/// Converts such a story into one with clients. Each client sends the commands that the program's processes sent, as
/// recorded, and the same replies are expected. The program is not run.
///
/// A client is inside from its own statement until it states otherwise or dies. A TTL expires only where the story says
/// so. Error (Usage): a step that a program cannot make.
[[nodiscard]] base::Result<Scenario> scenarioFromProgram(const schedules::RecordedSchedule &story);

/// Returns `A is inside, and so is B!` others: clients that were already inside.
[[nodiscard]] base::Text insideText(const QString &client, const QStringList &others);

/// Formats a result of the race finder as a sentence: `A key is left behind that never expires.`
[[nodiscard]] QString asSentence(const QString &words);

} // namespace latchkey::scenarios

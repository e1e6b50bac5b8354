#pragma once

#include "app/cli/exitcode.h"
#include "core/explore/schedules/recordedschedule.h"

namespace latchkey::cli {

/// Writes a story as RECIPE.ID.json into an existing folder and returns the path. `id`: id of the promise. An existing
/// file is replaced. Error: Local.
[[nodiscard]] base::Result<QString> saveStory(const schedules::RecordedSchedule &schedule, const QString &id,
                                              const QString &folder);

/// Prints one line per preparing command and per step.
void printSteps(const schedules::RecordedSchedule &schedule);

/// Returns the content of a story file of either version. Errors: Local if it cannot be read; Usage if it is no regular
/// file or too large.
[[nodiscard]] base::Result<QByteArray> readStoryFile(const QString &path);

/// Runs `explore --play`: plays a story file on private servers and reports whether the replies are as recorded.
[[nodiscard]] ExitCode playStory(const QString &path, bool asJson);

} // namespace latchkey::cli

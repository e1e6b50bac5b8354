#pragma once

#include "app/cli/arguments.h"
#include "core/explore/races/finder.h"

#include <QJsonArray>

#include <map>

// The texts that the two parts of `explore` share: for recipes and for programs.

namespace latchkey::cli {

/// Formats a count without separators; see schedules::countText().
[[nodiscard]] QString countText(double count);
[[nodiscard]] QString schedulesText(double count);
[[nodiscard]] QString statesText(double count);
[[nodiscard]] QString stepsText(double count);

/// Returns the number of schedules for all promises together.
[[nodiscard]] double schedulesOf(const races::Finder &finder);

/// Returns the promises without a result, because the search was stopped or failed before it reached them.
[[nodiscard]] QStringList unansweredOf(const races::Finder &finder);

/// Paths of the saved counterexamples by promise. A deadlock has the id deadlockId, a livelock livelockId.
using SavedStories = std::map<QString, QString>;
constexpr auto deadlockId = QLatin1String("deadlock");
constexpr auto livelockId = QLatin1String("livelock");

/// Returns the results for all promises, as in explore --json.
[[nodiscard]] QJsonArray promisesJson(const races::Finder &finder, const SavedStories &saved);

/// Returns the deadlock of a client of a program, as in explore --json. Null if there is none.
[[nodiscard]] QJsonValue deadlockJson(const races::Finder &finder, const SavedStories &saved);

/// Returns the livelock of the clients of a program in the same form. Null if there is none.
[[nodiscard]] QJsonValue livelockJson(const races::Finder &finder, const SavedStories &saved);

/// Writes a story file into the folder for each broken promise, for a deadlock and for a livelock. Error: Local.
[[nodiscard]] base::Result<SavedStories> saveStories(const races::Finder &finder, const QString &folder);

/// Creates the folder of --save, if the option is set. Error: Usage, Local.
[[nodiscard]] base::Result<void> makeStoryFolder(const Arguments &arguments);

/// Returns an option as a whole number within limits. Absent if it is not set. Error: Usage.
[[nodiscard]] base::Result<std::optional<int>> numberFrom(const Arguments &arguments, const char *option, int least,
                                                          int maximum);

} // namespace latchkey::cli

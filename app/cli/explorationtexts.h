#pragma once

#include "app/cli/arguments.h"
#include "core/races/finder.h"

#include <QJsonArray>

#include <map>

// What the two halves of `explore` say alike: of recipes, and of programs.

namespace latchkey::cli {

/// A count for people: exact while a double is, then with its order of magnitude.
[[nodiscard]] QString countText(double count);
[[nodiscard]] QString clientsText(int count);
[[nodiscard]] QString schedulesText(double count);
[[nodiscard]] QString statesText(double count);
[[nodiscard]] QString stepsText(double count);

/// Of all promises together.
[[nodiscard]] double schedulesOf(const races::Finder &finder);

/// Where the counterexamples have been saved, by promise; that of a standstill by standstillId.
using SavedStories = std::map<QString, QString>;
constexpr auto standstillId = QLatin1String("waits-for-ever");

/// What became of each promise, as explore --json has it.
[[nodiscard]] QJsonArray promisesJson(const races::Finder &finder, const SavedStories &saved);

/// Of a program: how a client comes to wait for ever, as explore --json has it; null where none does.
[[nodiscard]] QJsonValue standstillJson(const races::Finder &finder, const SavedStories &saved);

/// A file in the folder for each promise that is broken. Error: Local.
[[nodiscard]] base::Result<SavedStories> saveStories(const races::Finder &finder, const QString &folder);

/// The option's value as a whole number within bounds; nothing where it is not set. Error: Usage.
[[nodiscard]] base::Result<std::optional<int>> numberFrom(const Arguments &arguments, const char *option, int least,
                                                          int most);

} // namespace latchkey::cli

#pragma once

#include "app/cli/exitcode.h"
#include "core/stories/story.h"

namespace latchkey::cli {

/// Writes the story as RECIPE.ID.json into the folder, which must exist; the file's path. id: of the promise.
/// A file of that name is replaced. Error: Local.
[[nodiscard]] base::Result<QString> saveStory(const stories::Story &story, const QString &id, const QString &folder);

/// One line for each command beforehand and each step.
void printSteps(const stories::Story &story);

/// What a story file holds, of either version. Error (Usage): it cannot be read, or is too large for a story.
[[nodiscard]] base::Result<QByteArray> readStoryFile(const QString &path);

/// `explore --play`: plays a story file on private servers, and says whether they answer as it tells.
[[nodiscard]] ExitCode playStory(const QString &path, bool asJson);

} // namespace latchkey::cli

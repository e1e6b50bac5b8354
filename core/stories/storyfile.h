#pragma once

#include "core/stories/story.h"

#include <QJsonArray>

namespace latchkey::stories {

/// A story as a file: JSON in UTF-8, for people to read and for any program to play.
///
/// The format is described in resources/stories/README.md, with an example; what a story may tell is checkStory()'s.
[[nodiscard]] QByteArray toFile(const Story &story);

/// Error (Usage): no such file's contents, or no story that can happen, and where: `steps[3].command: not an array`.
/// Where the file's name is given, that and the line stand before it.
[[nodiscard]] base::Result<Story> fromFile(const QByteArray &contents, const QString &name = {});

/// A file's "beforehand".
[[nodiscard]] QJsonArray toJson(const resp::Commands &commands);

/// A file's "steps".
[[nodiscard]] QJsonArray toJson(const std::vector<Step> &steps);

} // namespace latchkey::stories

#pragma once

#include "core/stage/toldstory.h"

namespace latchkey::ui::stories {

/// A story with the file that it is from.
struct OpenedStory
{
    stage::ToldStory story;
    QByteArray file;
};

/// The story in a file of the user's: one that is told, or one that was recorded. Error (Usage, Local): why it is none,
/// by line and place.
[[nodiscard]] base::Result<OpenedStory> storyAt(const QString &path);

} // namespace latchkey::ui::stories

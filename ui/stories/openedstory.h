#pragma once

#include "core/stage/toldstory.h"

namespace latchkey::ui::stories {

/// The story in a file of the user's: one that is told, or one that was recorded. Error (Usage, Local): why it is none,
/// by line and place.
[[nodiscard]] base::Result<stage::ToldStory> storyAt(const QString &path);

} // namespace latchkey::ui::stories

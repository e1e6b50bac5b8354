#pragma once

#include "core/playground/scenarios/scenario.h"

namespace latchkey::ui::stories {

/// A story and the content of its file.
struct OpenedStory
{
    scenarios::Scenario story;
    QByteArray file;
};

/// Reads a story script or a recorded story from a file of the user. Errors (Usage, Local): why the file is no story,
/// with line and place.
[[nodiscard]] base::Result<OpenedStory> storyAt(const QString &path);

} // namespace latchkey::ui::stories

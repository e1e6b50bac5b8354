#pragma once

#include "core/races/transitions.h"
#include "core/stories/story.h"

namespace latchkey::races {

/// The schedule as a story: with the commands, the replies and what has come of them, so that it can be told, and
/// played by somebody who knows neither the recipe nor the finder. What it shows is for the caller to say.
/// Error: the server cannot be asked.
[[nodiscard]] base::Result<stories::Story> narrate(Transitions &transitions, const Schedule &schedule);

} // namespace latchkey::races

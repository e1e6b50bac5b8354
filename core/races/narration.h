#pragma once

#include "core/races/model.h"
#include "core/stories/story.h"

namespace latchkey::races {

/// The schedule as a story: with the commands, the replies and what has come of them, so that it can be told, and
/// played by somebody who knows neither the recipe nor the finder. What it shows is for the caller to say. Errors of
/// the server that the model asks.
[[nodiscard]] base::Result<stories::Story> narrate(Model &model, const Schedule &schedule);

} // namespace latchkey::races

#pragma once

#include "core/foundation/base/text.h"
#include "core/inspect/voting/lockvotes.h"

namespace latchkey::voting {

/// Returns the text that states whether the votes are a majority.
[[nodiscard]] base::Text majorityText(const LockVotes &votes);

} // namespace latchkey::voting

#pragma once

#include "core/foundation/base/text.h"
#include "core/inspect/voting/lockvotes.h"

namespace latchkey::voting {

/// Returns whether the votes are a majority, as a text.
[[nodiscard]] base::Text majorityText(const LockVotes &votes);

} // namespace latchkey::voting

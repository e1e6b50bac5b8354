#pragma once

#include "core/locks/lock.h"

// What the recipes' attempts to acquire have in common.

namespace latchkey::locks {

/// The answer was lost, so that the command may have taken effect or not.
[[nodiscard]] bool isUnclear(const exchange::Answer &answer);

/// Whether `SET … NX` won: it says OK, or nil where the key exists. An error ends the exchange.
[[nodiscard]] bool hasWon(const exchange::Answer &answer);

/// The lease was used up before its own answer came: the holder could not rely on it for a moment. (Usage)
[[nodiscard]] base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent,
                                                 base::MonotonicTime received);

} // namespace latchkey::locks

#pragma once

#include "core/locks/lock.h"

// What the recipes' attempts to acquire have in common.

namespace latchkey::locks {

/// The answer was lost, so that the command may have taken effect or not.
[[nodiscard]] bool isUnclear(const exchange::Answer &answer);

/// A lock that does not expire, proven by what it holds.
[[nodiscard]] Acquisition acquiredForGood(base::OwnerToken token);

/// A lock whose lease was granted by a command that was sent not before sent; its answer was there at received. A lease
/// that was used up by then ends the exchange: see shorterThanRoundTrip().
[[nodiscard]] Acquisition acquiredFor(base::Lease lease, base::OwnerToken token, base::MonotonicTime sent,
                                      base::MonotonicTime received);

/// The lease was used up before its own answer came: the holder could not rely on it for a moment. (Usage)
[[nodiscard]] base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent,
                                                 base::MonotonicTime received);

} // namespace latchkey::locks

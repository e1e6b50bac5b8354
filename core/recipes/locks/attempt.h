#pragma once

#include "core/recipes/locks/lock.h"

// Functions shared by the recipes' attempts to acquire.

namespace latchkey::locks {

/// Whether the reply was lost, so that the command may or may not have taken effect.
[[nodiscard]] bool isUnclear(const exchange::Answer &answer);

/// Returns the acquisition of a lock that does not expire. token: the value that proves the hold.
[[nodiscard]] Acquisition acquiredForGood(base::OwnerToken token);

/// Returns the acquisition of a lock with a lease. The granting command was not sent before sent, and its reply arrived
/// at received. If the lease was already over at that time, throws shorterThanRoundTrip().
[[nodiscard]] Acquisition acquiredFor(base::Lease lease, base::OwnerToken token, base::MonotonicTime sent,
                                      base::MonotonicTime received);

/// Returns the error (Usage) for a lease that ended before its own reply arrived, so that the holder could never rely
/// on it.
[[nodiscard]] base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent,
                                                 base::MonotonicTime received);

} // namespace latchkey::locks

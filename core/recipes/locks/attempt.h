#pragma once

#include "core/recipes/locks/lock.h"

// Functions shared by the recipes' attempts to acquire.

namespace latchkey::locks {

/// Returns whether it is unknown if the command took effect, because its reply is missing or invalid.
[[nodiscard]] bool isOutcomeUnknown(const exchange::Answer &answer);

/// Returns the answer to SET with NX. A reply that is neither OK nor nil becomes an error (Protocol): it is unknown
/// whether the key was written.
[[nodiscard]] exchange::Answer validatedSetReply(exchange::Answer answer);

/// Returns whether SET with NX has written the key. Throws a base::Failure if the reply is neither OK nor nil.
[[nodiscard]] bool hasWritten(const resp::Reply &reply);

/// Returns the acquisition of a lock that does not expire. `token`: the value that proves the hold.
[[nodiscard]] Acquisition acquiredWithoutLease(base::OwnerToken token);

/// Returns the acquisition of a lock with a lease. `sent`: time before the granting command was sent. `received`: time
/// after its reply arrived. If the lease, less its drift, was already over then, throws shorterThanRoundTrip().
[[nodiscard]] Acquisition acquiredFor(base::Lease lease, base::OwnerToken token, base::MonotonicTime sent,
                                      base::MonotonicTime received);

/// Returns the error (Usage) for a lease that ended before the reply to its acquisition arrived. The holder could never
/// rely on such a lease.
[[nodiscard]] base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent,
                                                 base::MonotonicTime received);

} // namespace latchkey::locks

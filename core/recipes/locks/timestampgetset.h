#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that stores its own deadline, with a take-over that only one client can win.
///
///     acquire   SETNX key deadline; if it lost: GET key; if that deadline is past: GETSET key deadline,
///               won only if the old deadline that it returned is past as well, or there was none
///     release   read the clock; DEL key only while the own deadline has not passed
///
/// The deadline is now + lease + 1 in whole Unix seconds of the client's clock. The key has no TTL on the server.
/// GETSET returns to each client the value that it replaced, so only the first of several clients takes over from a
/// dead holder.
///
/// Remaining flaws: a client that loses by GETSET has overwritten the winner's deadline. With equal leases this changes
/// the deadline only slightly; a shorter lease ends the winner's lock early. The clients' clocks must agree. Between
/// reading the clock and DEL, another client can take over the lock. From the Redis documentation of SETNX.
class TimestampGetsetLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: whole seconds.
    TimestampGetsetLock(base::Key key, base::Lease lease);

    /// Acquires the lock. The token of the acquisition is the written deadline.
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    /// Releases the lock. NotOwner, without a command, if the deadline in the token has passed, because any client may
    /// own the lock then. A token that is not a deadline is a Usage error.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

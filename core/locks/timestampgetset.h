#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that holds its own deadline, with a take-over that only one client can win.
///
///     acquire   SETNX key deadline; if it lost: GET key; if that deadline is past: GETSET key deadline,
///               won only if the old deadline that it returned is past as well, or there was none
///     release   read the clock; DEL key only while the own deadline has not passed
///
/// The deadline is now + lease + 1 in whole Unix seconds of the client's clock; the server knows of no expiry. GETSET
/// tells each client whom it replaced, so of several that saw the same dead holder only the first replaced that one.
/// What remains: a client that loses by GETSET has written its own deadline over the winner's, which pushes it a little
/// where all ask for one lease, and ends the winner's lock early where the loser asked for a shorter one; clients must
/// agree on the time; and between reading the clock and DEL the lock can change hands. From the Redis documentation of
/// SETNX.
class TimestampGetsetLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: whole seconds.
    TimestampGetsetLock(base::Key key, base::Lease lease);

    /// The acquisition's token is the deadline that it wrote.
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    /// NotOwner, and nothing sent, once the deadline that is the token has passed: the lock is anybody's by then.
    /// A token that is not a deadline is a Usage error.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

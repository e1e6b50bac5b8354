#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/renewing.h"

namespace latchkey::locks {

/// A hold with a lease, with the data that is needed to check it on its server.
struct HeldLease
{
    base::Key key;
    LockValue value = LockValue::Token; ///< Kind of value that its recipe writes.
    base::OwnerToken token;             ///< Value that acquire wrote into the lock.
    base::Lease lease;
    base::MonotonicTime validUntil; ///< Validity as granted by the server.
};

/// The state of a hold at its last check.
struct HoldStatus
{
    /// Time until which the hold is reliable: as granted, or earlier if another client shortened the expiry.
    base::MonotonicTime validUntil;
    std::optional<Loss> loss;  ///< Present if the hold is over.
    bool mayRead = true;       ///< Whether GET is useful and permitted.
    bool mayReadExpiry = true; ///< Whether PTTL is useful and permitted.

    [[nodiscard]] bool isShortened(const HeldLease &hold) const { return validUntil < hold.validUntil; }
};

/// Returns the interval at which a hold with this lease is checked: a third of the lease, from 10 to 250 ms. A
/// shortened expiry is usually detected before it takes effect, unless less than the interval is left.
[[nodiscard]] std::chrono::milliseconds pollInterval(base::Lease lease);

/// Returns the state of a hold that has not been checked yet.
[[nodiscard]] HoldStatus initialStatus(const HeldLease &hold);

/// Waits for the interval, or until the hold ends. Then checks whether the hold still exists, and how long it is valid.
///
///     GET key    absent or another value: the hold is lost; but a deadline of another client only limits validUntil
///     PTTL key   a shorter TTL than granted limits validUntil; not sent for LockValue::Deadline
///
/// Used for recipes that cannot extend, because no renewal detects a loss there. A late DEL can end the lock under its
/// holder, and contenders of some recipes shorten its expiry. Nothing is written. A denied command is not sent again. A
/// failed check has no effect, except that WrongType means NotOwner. A shortened hold is lost as Shortened when a third
/// of its lease is left. As with Unrenewed, the holder needs that time to stop the work that relies on the lock.
/// `last`: the result of the last check. The exchange never fails.
[[nodiscard]] exchange::Exchange<HoldStatus> pollHold(HeldLease hold, HoldStatus last,
                                                      std::chrono::milliseconds interval);

} // namespace latchkey::locks

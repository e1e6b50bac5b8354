#pragma once

#include "core/locks/recipe.h"
#include "core/locks/renewing.h"

namespace latchkey::locks {

/// A hold with a lease, as far as it takes to ask its server about it: what the acquisition gave.
struct Hold
{
    base::Key key;
    LockValue value = LockValue::Token; ///< Of its recipe.
    base::OwnerToken token;             ///< What acquire wrote into the lock.
    base::Lease lease;
    base::MonotonicTime validUntil; ///< As it was granted.
};

/// How a hold stands, by the last look at it.
struct Standing
{
    /// Until when it may be relied on: as it was granted, or earlier where somebody has given the lock an earlier end.
    base::MonotonicTime validUntil;
    std::optional<Loss> loss; ///< It is over.
    bool mayRead = true;      ///< GET has not been denied; as far as it tells anything.
    bool mayAskEnd = true;    ///< Likewise PTTL.

    [[nodiscard]] bool isShortened(const Hold &hold) const { return validUntil < hold.validUntil; }
};

/// How often a hold with this lease is looked at: a contender that gives it a short end is found out before that end in
/// most cases, but one that asks for less than the interval need not be.
[[nodiscard]] std::chrono::milliseconds lookInterval(base::Lease lease);

/// Where a hold stands that nobody has looked at yet.
[[nodiscard]] Standing unlooked(const Hold &hold);

/// Waits for the interval, or as long as the hold lasts, and looks at it then: whether it still stands, and until when.
///
///     GET key    another's value, or none, and it is lost; a deadline says until when
///     PTTL key   how long the lock has left; not asked where it holds its deadline
///
/// For recipes that cannot extend, whose renewals would tell: a late DEL can end the lock under its holder, and a
/// contender of some of them gives it an earlier end. Nothing is written. What is denied is not asked again, and a look
/// that fails says nothing. A hold that was shortened is lost as Shortened when a third of its lease is left: as with
/// Unrenewed, its holder needs that time to end what relies on the lock.
/// last: what the last look gave. The exchange does not fail.
[[nodiscard]] exchange::Exchange<Standing> lookAgain(Hold hold, Standing last, std::chrono::milliseconds interval);

} // namespace latchkey::locks

#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

namespace latchkey::locks {

/// A lock that only its holder can release, by optimistic locking instead of a script.
///
///     acquire   SET key token NX PX milliseconds
///     release   WATCH key, GET key; if it is the token: MULTI, DEL key, EXEC      else UNWATCH
///     extend    one script: GET, compare, PEXPIRE
///
/// WATCH makes EXEC execute nothing if the key has changed meanwhile, so the compared value is the deleted one. After
/// such a change the release starts again. After 8 attempts, the exchange ends with TransactionAborted.
///
/// WATCH and MULTI are states of the connection, so release needs a connection that no other exchange uses meanwhile.
/// Every path of release ends with EXEC, DISCARD or UNWATCH, so the connection keeps no such state.
class TokenWatchLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `password`: token of every attempt; default: a random token.
    TokenWatchLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {});

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

private:
    [[nodiscard]] exchange::Exchange<resp::Reply> deleteWatched() &;

    TokenHold m_hold;
};

} // namespace latchkey::locks

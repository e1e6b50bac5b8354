#pragma once

#include "core/locks/recipe.h"
#include "core/locks/tokenhold.h"

namespace latchkey::locks {

/// The lock that only its holder can release, by optimistic locking instead of a script.
///
///     acquire   SET key token NX PX milliseconds
///     release   WATCH key, GET key; if it is the token: MULTI, DEL key, EXEC      else UNWATCH
///     extend    one script: GET, compare, PEXPIRE
///
/// WATCH makes EXEC carry out nothing if the key has changed in between, so what was compared is what is deleted.
///
/// WATCH and MULTI are states of the connection: release needs one that no other exchange uses meanwhile. However it
/// ends, the connection is left as it was.
class TokenWatchLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// password: used as the token of every attempt instead of a random one.
    TokenWatchLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {});

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

private:
    [[nodiscard]] exchange::Exchange<resp::Reply> deleteWatched() &;

    TokenHold m_hold;
};

} // namespace latchkey::locks

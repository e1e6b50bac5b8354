#pragma once

#include "core/locks/recipe.h"
#include "core/locks/tokenhold.h"

namespace latchkey::locks {

/// The lock with a token that is released in two steps. Flawed, and kept to show why comparing and deleting must be
/// one.
///
///     acquire   SET key token NX EX seconds     or NX PX milliseconds
///     release   GET key; if it is the token: DEL key
///
/// Between the GET and the DEL the lease can end and another client can win: then its lock is the one deleted.
class TokenCheckThenDeleteLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: whole seconds where the unit is Seconds. password: instead of a random token.
    TokenCheckThenDeleteLock(base::Key key, base::Lease lease, LeaseUnit unit,
                             std::optional<base::OwnerToken> password = {});

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    TokenHold m_hold;
    const LeaseUnit m_unit;
};

} // namespace latchkey::locks

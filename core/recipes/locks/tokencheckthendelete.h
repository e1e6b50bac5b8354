#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

namespace latchkey::locks {

/// A lock with a token that is released in two steps. Flawed; it shows why comparing and deleting must be one step.
///
///     acquire   SET key token NX EX seconds     or NX PX milliseconds
///     release   GET key; if it is the token: DEL key
///
/// Between the GET and the DEL, the lease can end and another client can acquire the lock. The DEL then deletes that
/// client's lock.
class TokenCheckThenDeleteLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: whole seconds if the unit is Seconds. `password`: replaces the random token.
    TokenCheckThenDeleteLock(base::Key key, base::Lease lease, LeaseUnit unit,
                             std::optional<base::OwnerToken> password = {});

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    TokenHold m_hold;
    const LeaseUnit m_unit;
};

} // namespace latchkey::locks

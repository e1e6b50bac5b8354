#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

namespace latchkey::locks {

/// A token lock that a replica has confirmed before its holder relies on it.
///
///     acquire   SET key token NX PX milliseconds, WAIT 1 milliseconds; if no replica confirms: as release, and busy
///     release   one script: GET, compare, DEL
///     extend    one script: GET, compare, PEXPIRE
///
/// Replication is asynchronous: a failover may promote a replica that lacks the lock. WAIT returns the number of
/// replicas that have the writes of the connection. With one replica per server, a confirmed lock survives a failover;
/// with two, the other replica may be promoted. The Redis documentation of WAIT describes these limits.
class TokenWaitLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// Maximum time of WAIT; half of a shorter lease limits it further.
    static constexpr std::chrono::milliseconds confirmationTimeout {1000};

    /// `password`: token of every attempt; default: a random token. `form`: see CompareForm.
    TokenWaitLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {},
                  CompareForm form = CompareForm::Script);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

private:
    TokenHold m_hold;
};

} // namespace latchkey::locks

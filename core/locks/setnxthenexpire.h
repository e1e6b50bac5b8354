#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that gets its lease in a second step. Flawed, and kept to show why a lock and its lease must be one
/// command.
///
///     acquire   SETNX key value; if it won: EXPIRE key seconds
///     release   DEL key
///
/// A client that dies between the two leaves a lock without a lease, which stays for ever. Everything else about it is
/// the lock with automatic release.
class SetnxThenExpireLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: sent with EXPIRE in whole seconds, with PEXPIRE where it is not a whole number of them.
    SetnxThenExpireLock(base::Key key, QByteArray value, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

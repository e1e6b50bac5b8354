#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that gets its lease in the same script, and only if it was won: how the lock with automatic release was
/// made before SET could do it alone (Redis 2.6.12).
///
///     acquire   one script: SETNX key value; if it won: PEXPIRE key milliseconds
///     release   DEL key
///
/// A script is carried out with nobody's commands in between, and unlike a transaction it can decide.
class LuaSetnxExpireLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    LuaSetnxExpireLock(base::Key key, QByteArray value, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

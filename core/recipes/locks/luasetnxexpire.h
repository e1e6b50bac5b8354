#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that gets its lease in the acquiring script, and only if it was won. Before SET had options (Redis 2.6.12),
/// automatic release was built in this way.
///
///     acquire   one script: SETNX key value; if it won: PEXPIRE key milliseconds
///     release   DEL key
///
/// A script runs without interleaved commands, and, unlike a transaction, it can branch.
class LuaSetnxExpireLock final : public Lock
{
public:
    /// Returns the catalogue entry.
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

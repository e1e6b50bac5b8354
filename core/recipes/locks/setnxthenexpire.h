#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that gets its lease in a second step. Flawed; it shows why a lock and its lease must be set by one command.
///
///     acquire   SETNX key value; if it won: EXPIRE key seconds
///     release   DEL key
///
/// A client that dies between the two commands leaves a lock without a lease, which stays forever. In all other
/// respects, this lock equals AutoReleaseLock.
class SetnxThenExpireLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: sent by EXPIRE if it is whole seconds, else by PEXPIRE.
    SetnxThenExpireLock(base::Key key, QByteArray value, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that gets its lease in the acquiring transaction. Flawed: the transaction cannot see whether the lock was
/// won.
///
///     acquire   MULTI, SETNX key value, EXPIRE key seconds, EXEC      won if SETNX answered 1
///     release   DEL key
///
/// A dead client never leaves a lock without a lease. But EXPIRE runs regardless of the SETNX reply, so every loser
/// gives the winner's lock its own lease. A longer lease keeps a dead holder's lock alive while any client retries. A
/// shorter lease ends a live holder's lock early, and the next client acquires it. Then two clients are inside,
/// although no client died or was late.
class MultiSetnxExpireLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: sent by EXPIRE if it is whole seconds, else by PEXPIRE.
    MultiSetnxExpireLock(base::Key key, QByteArray value, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

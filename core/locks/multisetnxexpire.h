#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that gets its lease in the same transaction. Flawed: the transaction cannot see whether it won.
///
///     acquire   MULTI, SETNX key value, EXPIRE key seconds, EXEC      won if SETNX answered 1
///     release   DEL key
///
/// A dead client leaves no lock without a lease. But EXPIRE is carried out whatever SETNX answered, so every client
/// that loses gives the winner's lock a lease of its own. With a longer one, a dead holder's lock does not end while
/// anybody keeps retrying. With a shorter one, a living holder's ends early, and the next client gets it: two are
/// inside, and nobody has died or come late.
class MultiSetnxExpireLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: sent with EXPIRE in whole seconds, with PEXPIRE where it is not a whole number of them.
    MultiSetnxExpireLock(base::Key key, QByteArray value, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

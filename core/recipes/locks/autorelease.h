#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that the server releases automatically: its key expires when the lease ends.
///
///     acquire   SET key value NX EX seconds     or NX PX milliseconds
///     release   DEL key                         Released only if DEL removed the key
///
/// A dead holder blocks the others for at most one lease. The lease must exceed the longest normal work. With a shorter
/// lease, two clients can be inside at once, and the DEL of the late client releases the other's lock.
class AutoReleaseLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: whole seconds if the unit is Seconds.
    AutoReleaseLock(base::Key key, QByteArray value, base::Lease lease, LeaseUnit unit);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
    const base::Lease m_lease;
    const LeaseUnit m_unit;
};

} // namespace latchkey::locks

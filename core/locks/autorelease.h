#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that the server frees by itself: it expires when its lease runs out.
///
///     acquire   SET key value NX EX seconds     or NX PX milliseconds
///     release   DEL key                         true only if it removed the key
///
/// A holder that dies blocks the others for one lease at most. The lease is a safety net and has to exceed the longest
/// normal piece of work: with a shorter one two clients work at once, and the late one's DEL frees the other's lock.
class AutoReleaseLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: whole seconds where the unit is Seconds.
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

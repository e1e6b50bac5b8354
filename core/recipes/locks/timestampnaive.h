#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// A lock that stores its own deadline, with a take-over that two clients can win. Flawed: the classic race.
///
///     acquire   SETNX key deadline; if it lost: GET key; if that deadline is past: DEL key, SETNX key deadline
///     release   DEL key
///
/// The deadline is now + lease + 1 in whole Unix seconds of the client's clock. The key has no TTL on the server. Two
/// clients can both see that a dead holder's deadline has passed. The first deletes the lock and wins. The second
/// deletes the new lock of the first, and wins as well.
class TimestampNaiveLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lease`: whole seconds.
    TimestampNaiveLock(base::Key key, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

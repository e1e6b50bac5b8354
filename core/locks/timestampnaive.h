#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The lock that holds its own deadline, with a take-over that looks right. Flawed: the classic race.
///
///     acquire   SETNX key deadline; if it lost: GET key; if that deadline is past: DEL key, SETNX key deadline
///     release   DEL key
///
/// The deadline is now + lease + 1 in whole Unix seconds of the client's clock; the server knows of no expiry. Two
/// clients can both see a dead holder's deadline in the past; the first deletes it and wins, the second deletes the
/// first one's new lock and wins as well.
class TimestampNaiveLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lease: whole seconds.
    TimestampNaiveLock(base::Key key, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

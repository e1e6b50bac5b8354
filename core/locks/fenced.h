#pragma once

#include "core/locks/recipe.h"
#include "core/locks/tokenhold.h"

namespace latchkey::locks {

/// The lock that hands out a number with each acquisition, for the resource behind it to check.
///
///     acquire   one script: if there is no lock: INCR counter, SET key token NX PX milliseconds; answers the number
///     release   one script: GET, compare, DEL
///     extend    one script: GET, compare, PEXPIRE
///
/// No lock can stop a client that slept past its lease from writing. But its number is smaller than the next holder's,
/// and a resource that refuses a smaller number than it has seen takes no harm. The numbers only grow because the
/// counter lives in a key of its own that does not expire: counterKey(). The idea is Martin Kleppmann's.
class FencedLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// password: used as the token of every attempt instead of a random one.
    FencedLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {},
               CompareForm form = CompareForm::Script);

    /// Where the counter holds what is not a number the exchange ends with an error that names it, and makes no lock.
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// Where a lock's numbers are counted, in the same cluster slot as the lock: `{lock}:fence`, or `lock:fence` where
    /// the name has a hash tag of its own, as `{orders}:7` has.
    ///
    /// Locks that differ in nothing but such braces share a counter, which grows for each of them all the same. For a
    /// name with a `}` and no tag there is no counter in its slot: such a lock works on a single server only, a cluster
    /// refuses it.
    [[nodiscard]] static base::Key counterKey(const base::Key &lock);

private:
    TokenHold m_hold;
};

} // namespace latchkey::locks

#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

namespace latchkey::locks {

/// A lock that returns a fencing token with each acquisition, for the protected resource to check.
///
///     acquire   one script: if there is no lock: INCR counter, SET key token NX PX milliseconds; replies the number
///     release   one script: GET, compare, DEL
///     extend    one script: GET, compare, PEXPIRE
///
/// No lock can stop a client that was suspended past its lease from writing. But its fencing token is smaller than the
/// next holder's. A resource that refuses tokens smaller than the largest one so far stays safe. The tokens always grow
/// because their counter is a separate key that does not expire: counterKey(). The idea is from Martin Kleppmann ("How
/// to do distributed locking", 2016).
class FencedLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `password`: token of every attempt; default: a random token. `form`: see CompareForm.
    FencedLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {},
               CompareForm form = CompareForm::Script);

    /// Acquires the lock. If the counter is not a number, acquires no lock, and the exchange ends with an error that
    /// names the counter.
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// Returns the key of a lock's counter, in the same cluster slot as the lock: `{lock}:fence`. If the name has its
    /// own hash tag, as in `{orders}:7`, the key is `lock:fence`.
    ///
    /// Two locks such as `orders` and `{orders}` share a counter, which still grows with each acquisition. A name with
    /// a `}` but no tag has no counter key in its slot. Such a lock works on a single server only; a cluster refuses
    /// it.
    [[nodiscard]] static base::Key counterKey(const base::Key &lock);

private:
    TokenHold m_hold;
};

} // namespace latchkey::locks

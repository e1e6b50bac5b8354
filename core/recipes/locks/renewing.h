#pragma once

#include "core/recipes/locks/recipe.h"

#include <memory>

namespace latchkey::locks {

/// The way in which a renewed hold was lost.
struct Loss
{
    enum class Kind : quint8 {
        NotOwner,  ///< The server reports another owner.
        Gone,      ///< The server reports that the lock does not exist.
        Unrenewed, ///< Renewal failed and the lease is about to end. There is time left to stop the work that relies on
                   ///< the lock.
        Shortened, ///< Another client shortened the lock's expiry, which is near. There is time left, as with
                   ///< Unrenewed.
        LeaseExpired, ///< The lease ended by the holder's clock before the server granted another.
    };

    Kind kind = Kind::LeaseExpired;
    /// Cause of the last failed attempt to extend; absent if none failed. LeaseExpired without a cause means that the
    /// holder itself was too late, for example because it was stopped.
    std::optional<base::Error> reason;

    friend bool operator==(const Loss &, const Loss &) = default;
};

/// Returns the reason of a loss, for a sentence about the lock: "its lease could not be renewed".
[[nodiscard]] base::Text lossText(const Loss &loss, const Recipe &recipe);

/// The time until which the renewed hold is reliable, or the way in which it was lost.
using Renewal = tl::expected<base::MonotonicTime, Loss>;

/// Waits until a third of the lease is over, then gives the hold a new lease of the same duration.
///
/// An attempt that fails or loses its reply is repeated once, when half of the lease is over. The pause before the
/// second attempt is at least a thirtieth of the lease, between 5 ms and 1 s. A lost connection can be replaced in this
/// time. The hold is lost as Unrenewed if the second attempt fails, too, or if only a third of the lease is left. The
/// holder needs that time to stop the work that relies on the lock. A holder that was suspended beyond that point still
/// makes one attempt. Nothing is sent after validUntil, and a later reply is ignored, because another client may hold
/// the lock then.
///
/// Extending compares tokens and never creates a lock, so an extra attempt is harmless. `token`, `lease`, `validUntil`:
/// those of the acquisition or of the last renewal. `lock`: a lock that can extend; it must outlive the exchange. The
/// exchange never fails; failures end as a Loss.
[[nodiscard]] exchange::Exchange<Renewal> renewOnce(Lock &lock, base::OwnerToken token, base::Lease lease,
                                                    base::MonotonicTime validUntil);

/// Repeats renewOnce() until the hold is lost. To stop renewing, destroy the exchange.
[[nodiscard]] exchange::Exchange<Loss> renewUntilLost(Lock &lock, base::OwnerToken token, base::Lease lease,
                                                      base::MonotonicTime validUntil);

/// A lock with a short lease for long work: a live holder extends the lease when a third of the lease is over.
///
///     acquire, release, extend   those of the inner lock, which has a token
///     while held                 extend at a third of the lease
///
/// A holder that dies or is stopped no longer extends, and loses the lock one lease later. A holder that resumes too
/// late gets a Loss. The idea is that of the watchdog in Redisson's locks. Renewal is a separate exchange, which the
/// holder runs in parallel with its work: see renewUntilLost().
class RenewingLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// Creates a lock. `lock`: the inner lock, which can extend and was created with this lease.
    RenewingLock(std::unique_ptr<Lock> lock, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// Calls locks::renewUntilLost() with the lock's own lease. `token`, `validUntil`: those of the acquisition.
    [[nodiscard]] exchange::Exchange<Loss> renewUntilLost(base::OwnerToken token, base::MonotonicTime validUntil) &;
    exchange::Exchange<Loss> renewUntilLost(base::OwnerToken token, base::MonotonicTime validUntil) && = delete;

private:
    const std::unique_ptr<Lock> m_lock;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

#pragma once

#include "core/locks/recipe.h"

#include <memory>

namespace latchkey::locks {

/// How a hold came to its end that was being renewed.
struct Loss
{
    enum class Kind : quint8 {
        NotOwner,  ///< The server says that the lock is another's.
        Gone,      ///< The server says that there is no lock.
        Unrenewed, ///< It could not be renewed and is about to run out: there is time left to end what relies on it.
        Shortened, ///< Somebody has given the lock an earlier end than was granted, which is about to come: likewise.
        RanOut,    ///< The lease ended, by the holder's own clock, before the server had granted another.
    };

    Kind kind = Kind::RanOut;
    /// Why the last try to extend failed. Nothing where none did: with RanOut, the holder itself came too late then, as
    /// one does that was stopped.
    std::optional<base::Error> reason;

    friend bool operator==(const Loss &, const Loss &) = default;
};

/// Until when the renewed hold may be relied on, or how it was lost.
using Renewal = tl::expected<base::MonotonicTime, Loss>;

/// Waits until a third of the lease is over and extends the hold by another such lease.
///
/// A try that fails, or whose answer is lost, is repeated once, when half of the lease is over: after a pause of a
/// thirtieth of the lease at least (no less than 5 ms, no more than 1 s), so that a lost connection can be replaced.
/// When that fails as well, or only a third of the lease is left, the hold is lost as Unrenewed: the holder has to end
/// what relies on the lock, and that takes time. A holder that was stopped and comes later still has one try. Nothing
/// is sent after validUntil, and an answer that comes later does not count: by then others may act.
/// Extending compares tokens and never makes a lock anew, so a try too many does no harm. token, lease, validUntil: of
/// the acquisition, or of the last renewal. lock: of a recipe that can extend; it must outlive the exchange. The
/// exchange does not fail: what cannot be done ends as a Loss.
[[nodiscard]] exchange::Exchange<Renewal> renewOnce(Lock &lock, base::OwnerToken token, base::Lease lease,
                                                    base::MonotonicTime validUntil);

/// renewOnce() again and again, for as long as the exchange lives: it ends only when the hold is lost. To stop
/// renewing, destroy it.
[[nodiscard]] exchange::Exchange<Loss> renewUntilLost(Lock &lock, base::OwnerToken token, base::Lease lease,
                                                      base::MonotonicTime validUntil);

/// The lock with a short lease for long work: while its holder lives, it extends the lease at a third of it.
///
///     acquire, release, extend   as the lock inside, which is of the token family
///     while held                 extend at a third of the lease
///
/// A holder that dies or is stopped no longer extends, and loses the lock one lease later; one that wakes up too late
/// is told so. The idea is the watchdog of Redisson's lock. Renewing is an exchange of its own, which the holder runs
/// beside its work: see renewUntilLost().
class RenewingLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lock: of a recipe that can extend, made with this lease.
    RenewingLock(std::unique_ptr<Lock> lock, base::Lease lease);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// locks::renewUntilLost() with the lock's own lease. token, validUntil: what the acquisition gave.
    [[nodiscard]] exchange::Exchange<Loss> renewUntilLost(base::OwnerToken token, base::MonotonicTime validUntil) &;
    exchange::Exchange<Loss> renewUntilLost(base::OwnerToken token, base::MonotonicTime validUntil) && = delete;

private:
    const std::unique_ptr<Lock> m_lock;
    const base::Lease m_lease;
};

} // namespace latchkey::locks

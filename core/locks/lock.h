#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/lease.h"
#include "core/exchange/exchange.h"

#include <optional>

namespace latchkey::locks {

/// The number that a lock hands out with each acquisition and that only grows, so that a resource can refuse a holder
/// who comes late.
struct FencingNumber
{
    qint64 value = 0;

    friend auto operator<=>(const FencingNumber &, const FencingNumber &) = default;
};

enum class AcquireOutcome : quint8 {
    Acquired,
    Busy, ///< Somebody holds it, and holds it still; only a recipe that is not contender-neutral has changed anything.
};

/// What one attempt to acquire came to.
struct Acquisition
{
    AcquireOutcome outcome = AcquireOutcome::Busy;
    base::OwnerToken token; ///< Of an acquired lock: what proves it; for recipes without tokens its value.
    std::optional<FencingNumber> fencing; ///< Of recipes that hand one out.
    std::optional<base::Lease> lease;     ///< Absent: the lock does not expire.
    /// Until when the holder may rely on it, by its own clock, read before the command was sent.
    base::MonotonicTime validUntil = base::MonotonicTime::max();

    [[nodiscard]] bool isAcquired() const { return outcome == AcquireOutcome::Acquired; }
    [[nodiscard]] static Acquisition busy() { return {}; }
};

enum class ReleaseOutcome : quint8 {
    Released,
    NotOwner, ///< The lock is another's, or by its own deadline anybody's; nothing was changed.
    Gone,     ///< There was no lock.
};

enum class ExtendOutcome : quint8 {
    Extended,
    NotOwner, ///< The lock is another's; nothing was changed.
    Gone,     ///< There was no lock, and none was made.
};

/// What an attempt to extend came to.
struct Extension
{
    ExtendOutcome outcome = ExtendOutcome::Gone;
    base::MonotonicTime validUntil; ///< Of an extended lock; see Acquisition.
};

/// One recipe, applied to one key with its options: the operations that it defines, as exchanges.
///
/// An outcome that cannot be known (the answer was lost on the way) is an error whose kind
/// base::leavesOutcomeUnknown(); every other error means that nothing has changed. A lock object keeps nothing between
/// calls: the token that proves a hold is the caller's to keep, so that it can release from another process.
/// Made by the catalogue, owned by the caller; it must outlive the exchanges that it starts, so none starts on a
/// temporary.
class Lock
{
public:
    Lock() = default;
    virtual ~Lock();
    Q_DISABLE_COPY_MOVE(Lock)

    /// One attempt, without waiting.
    [[nodiscard]] virtual exchange::Exchange<Acquisition> acquire() & = 0;
    exchange::Exchange<Acquisition> acquire() && = delete;

    /// token: what the acquisition gave; recipes without tokens do not look at it.
    [[nodiscard]] virtual exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & = 0;
    exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) && = delete;

    /// Gives the hold a new lease from now on. Only recipes whose catalogue entry says canExtend have it; for others
    /// the exchange ends with a Usage error.
    [[nodiscard]] virtual exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) &;
    exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) && = delete;
};

} // namespace latchkey::locks

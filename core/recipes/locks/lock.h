#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/lease.h"
#include "core/redis/exchange/exchange.h"

#include <optional>

namespace latchkey::locks {

/// A fencing token: a number that grows with each acquisition, so that a resource can refuse a late holder.
struct FencingToken
{
    qint64 value = 0;

    friend auto operator<=>(const FencingToken &, const FencingToken &) = default;
};

/// The outcome of an attempt to acquire.
enum class AcquireOutcome : quint8 {
    Acquired,
    Busy, ///< Another client holds the lock. Only recipes that are not contender-neutral have changed anything.
};

/// The result of one attempt to acquire.
struct Acquisition
{
    AcquireOutcome outcome = AcquireOutcome::Busy;
    base::OwnerToken token;              ///< Proof of the acquired lock; for recipes without tokens, its value.
    std::optional<FencingToken> fencing; ///< Absent for recipes without fencing tokens.
    std::optional<base::Lease> lease;    ///< Absent: the lock does not expire.
    /// Time until which the holder may rely on the lock, by its own clock. This time counts from before the command was
    /// sent. max(): the lock does not expire.
    base::MonotonicTime validUntil = base::MonotonicTime::max();
    /// For Busy with several servers: why some gave no usable answer, although their answers could have completed a
    /// majority. Absent: other clients hold the lock.
    std::optional<base::Error> undecided;

    /// For Busy: why the client did not get the lock although no other client held it. Empty: another client held it.
    base::Text reason {};

    [[nodiscard]] bool isAcquired() const { return outcome == AcquireOutcome::Acquired; }
    [[nodiscard]] static Acquisition busy() { return {}; }
};

/// The outcome of a release.
enum class ReleaseOutcome : quint8 {
    Released,
    NotOwner, ///< Another client owns the lock, or the lock's own deadline has passed; nothing was changed.
    Gone,     ///< The lock did not exist.
};

/// The outcome of an attempt to extend.
enum class ExtendOutcome : quint8 {
    Extended,
    NotOwner, ///< Another client owns the lock; nothing was changed.
    Gone,     ///< The lock did not exist, and none was created.
};

/// The result of an attempt to extend.
struct Extension
{
    ExtendOutcome outcome = ExtendOutcome::Gone;
    base::MonotonicTime validUntil; ///< Valid for an extended lock; see Acquisition.
};

/// A recipe applied to one key, with its options. Its operations are exchanges.
///
/// An unknown outcome (the reply was lost) is an error with base::leavesOutcomeUnknown(). After any other error, the
/// operation has failed. A failed operation may have changed the key only with several commands or servers, or with a
/// lease shorter than the round trip (Usage). A lock object keeps no state between calls. The caller keeps the token
/// that proves a hold, so another process can release it. Created by the catalogue, owned by the caller. A lock must
/// outlive its exchanges, so no exchange can start on a temporary.
class Lock
{
public:
    Lock() = default;
    virtual ~Lock();
    Q_DISABLE_COPY_MOVE(Lock)

    /// Attempts once to acquire, without waiting.
    [[nodiscard]] virtual exchange::Exchange<Acquisition> acquire() & = 0;
    exchange::Exchange<Acquisition> acquire() && = delete;

    /// Releases the lock. `token`: the acquisition's token; ignored by recipes without tokens.
    [[nodiscard]] virtual exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & = 0;
    exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) && = delete;

    /// Gives the hold a new lease from now on. Requires Recipe::canExtend; otherwise, the exchange ends with a Usage
    /// error.
    [[nodiscard]] virtual exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) &;
    exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) && = delete;
};

} // namespace latchkey::locks

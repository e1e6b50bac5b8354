#pragma once

#include "core/recipes/caches/recipe.h"
#include "core/recipes/locks/token.h"

namespace latchkey::caches {

enum class LookupOutcome : quint8 {
    Hit,
    Stale,         ///< An old value; another client is recomputing the value.
    MustRecompute, ///< The caller has to recompute, and then to call store() or abandon().
    GaveUp,        ///< Another client was still recomputing at the end of the wait.
};

/// The result of a lookup.
struct Lookup
{
    LookupOutcome outcome = LookupOutcome::GaveUp;
    QByteArray value; ///< With Hit and Stale.
    /// Token that proves the caller's guard, with MustRecompute; absent for GuardPolicy::None.
    std::optional<base::OwnerToken> guard;
    /// Time until which the guard is certain without renewal, with MustRecompute; see locks::Acquisition.
    base::MonotonicTime guardValidUntil = base::MonotonicTime::max();
};

enum class StoreOutcome : quint8 {
    Stored,
    GuardLost, ///< The guard's lease has ended, so another client may have stored a newer value; nothing was changed.
};

/// A cache in which one client recomputes an expired value, and which protects the data source from all others.
///
///     read    GET key
///     lookup  GET key                       a hit ends it
///             the script of store, with an invalid token: nothing changes, but a server that refuses scripts says so
///             before there is a guard that could not be released, and before any client recomputes
///             the guard: a `token` lock     SET key:guard token NX PX milliseconds
///             GET key                       again: another client may have stored it just before the guard was won
///             then the caller recomputes; a caller that did not win the guard waits, or takes the stale value
///     store   one script: if the guard is still the caller's, SET key value PX milliseconds, the same for the stale
///             copy (key:stale) with its longer lifetime, and DEL of the guard
///
/// The caller recomputes between lookup() and store(), in any way. Two more keys are named after the value's key. On a
/// cluster, the key needs a hash tag, `{report}`, so that all three keys are in one slot.
class GuardedCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    GuardedCache(base::Key key, base::Lease lifetime, const GuardOptions &options);

    /// Returns `key:guard`.
    [[nodiscard]] static base::Key guardKey(const base::Key &key);
    /// Returns `key:stale`.
    [[nodiscard]] static base::Key staleKey(const base::Key &key);

    /// Finds the value, or makes the caller the one to recompute it. While another client recomputes, retries after
    /// pauses that grow from 5 to 50 ms.
    [[nodiscard]] exchange::Exchange<Lookup> lookup() &;
    exchange::Exchange<Lookup> lookup() && = delete;

    /// Stores the recomputed value and releases the guard, also if storing fails. guard: token from the lookup.
    [[nodiscard]] exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) &;
    exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) && = delete;

    /// Releases the guard without a value: the recomputation failed, and the next client may try.
    [[nodiscard]] exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) &;
    exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) && = delete;

    /// Gives the guard a new lease from now on, for a long recomputation.
    [[nodiscard]] exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) &;
    exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) && = delete;

    [[nodiscard]] const GuardOptions &options() const { return m_options; }

    /// Performs a lookup, and stores this content on a miss. Exists after a hit, Busy if another client is recomputing.
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    [[nodiscard]] exchange::Exchange<void> makeSureOfStoring() &;
    [[nodiscard]] exchange::Exchange<std::optional<Lookup>> lookUpGuarded() &;
    [[nodiscard]] exchange::Exchange<Found> readUnder(base::OwnerToken guard) &;
    [[nodiscard]] exchange::ScriptCall storing(const QByteArray &value, const base::OwnerToken &guard) const;
    [[nodiscard]] exchange::Exchange<void> letGo(base::OwnerToken guard) &;

    const base::Key m_key;
    const base::Lease m_lifetime;
    const GuardOptions m_options;
    locks::TokenLock m_guard;
};

} // namespace latchkey::caches

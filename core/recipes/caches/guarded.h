#pragma once

#include "core/recipes/caches/recipe.h"
#include "core/recipes/locks/token.h"

namespace latchkey::caches {

/// The kind of a Lookup.
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

/// The result of GuardedCache::store().
enum class StoreOutcome : quint8 {
    Stored,
    GuardLost, ///< The guard's lease has ended, so another client may have stored a newer value; nothing was changed.
};

/// A cache in which only one client at a time recomputes an expired value, so that the others do not load the data
/// source.
///
///     read    GET key
///     lookup  GET key                       a hit ends it
///             the script of store, with an unused token: it changes nothing. It fails here if the server refuses
///             scripts, before a guard exists that could not be released
///             the guard: a `token` lock     SET key:guard token NX PX milliseconds
///             GET key                       again: another client may have stored the value just before
///             then the caller recomputes; without the guard it waits, or gets the stale value
///     store   one script: if the guard is still the caller's, SET key value PX milliseconds, the same for the stale
///             copy (key:stale) with its longer lifetime, and DEL of the guard
///
/// The caller recomputes the value between lookup() and store(), by any means. The names of the guard and the stale
/// copy are the value's key with a suffix. On a cluster, the key needs a hash tag, `{report}`, so that all three keys
/// are in one slot.
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

    /// Finds the value, or wins the guard for the caller, who then has to recompute the value. While another client
    /// recomputes, retries after pauses that grow from 5 to 50 ms.
    [[nodiscard]] exchange::Exchange<Lookup> lookup() &;
    exchange::Exchange<Lookup> lookup() && = delete;

    /// Stores the recomputed value and releases the guard, also if storing fails. `guard`: token from the lookup;
    /// absent for GuardPolicy::None.
    [[nodiscard]] exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) &;
    exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) && = delete;

    /// Releases the guard without a value: the recomputation failed, and the next client may try.
    [[nodiscard]] exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) &;
    exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) && = delete;

    /// Gives the guard a new lease from now on, for a long recomputation.
    [[nodiscard]] exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) &;
    exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) && = delete;

    [[nodiscard]] const GuardOptions &options() const { return m_options; }

    /// Performs a lookup, and stores this content on a miss. Exists after a hit, Busy if another client is recomputing,
    /// GuardLost as for store().
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    [[nodiscard]] exchange::Exchange<void> probeScriptSupport() &;
    [[nodiscard]] exchange::Exchange<std::optional<Lookup>> lookUpGuarded() &;
    [[nodiscard]] exchange::Exchange<Found> readUnder(base::OwnerToken guard) &;
    [[nodiscard]] exchange::ScriptCall storing(const QByteArray &value, const base::OwnerToken &guard) const;
    [[nodiscard]] exchange::Exchange<void> releaseGuard(base::OwnerToken guard) &;

    const base::Key m_key;
    const base::Lease m_lifetime;
    const GuardOptions m_options;
    locks::TokenLock m_guard;
};

} // namespace latchkey::caches

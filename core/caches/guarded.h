#pragma once

#include "core/caches/recipe.h"
#include "core/locks/token.h"

namespace latchkey::caches {

enum class LookupOutcome : quint8 {
    Hit,
    Stale,         ///< An old value; another client is recomputing the new one.
    MustRecompute, ///< The caller is the one to recompute, and then to store() or to abandon().
    GaveUp,        ///< Another client was still recomputing when the wait was over.
};

/// What a lookup came to.
struct Lookup
{
    LookupOutcome outcome = LookupOutcome::GaveUp;
    QByteArray value; ///< Of Hit and Stale.
    /// Of MustRecompute: what proves that the guard is the caller's. Nothing under GuardPolicy::None.
    std::optional<base::OwnerToken> guard;
    /// Of MustRecompute: until when the guard holds for certain, unless it is renewed; see locks::Acquisition.
    base::MonotonicTime guardValidUntil = base::MonotonicTime::max();
};

enum class StoreOutcome : quint8 {
    Stored,
    GuardLost, ///< The guard's lease had ended, so that another may have a newer value; nothing was changed.
};

/// The cache that lets one client recompute what expired, and protects what is behind it from all the others.
///
///     read    GET key
///     lookup  GET key                       a hit ends it
///             the script of store, with a token that nobody has: nothing changes, but a server that refuses scripts
///             says so before there is a guard that could not be let go of, and before anybody recomputes
///             the guard: a `token` lock     SET key:guard token NX PX milliseconds
///             GET key                       once more: somebody may have stored it just before the guard was won
///             then the caller recomputes; a caller that did not win the guard waits, or takes the stale value
///     store   one script: if the guard is still the caller's, SET key value PX milliseconds, the same for the stale
///             copy (key:stale) with its longer lifetime, and DEL of the guard
///
/// The recomputation is the caller's own: it happens between lookup() and store(), whatever it is. Two keys stand
/// beside the value's, named after it. On a cluster the key needs a hash tag, `{report}`, so that all three are in one
/// slot.
class GuardedCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    GuardedCache(base::Key key, base::Lease lifetime, const GuardOptions &options);

    /// `key:guard`
    [[nodiscard]] static base::Key guardKey(const base::Key &key);
    /// `key:stale`
    [[nodiscard]] static base::Key staleKey(const base::Key &key);

    /// Finds the value, or finds out that the caller has to recompute it. While another client does, it tries again
    /// after pauses that grow from 5 to 50 ms.
    [[nodiscard]] exchange::Exchange<Lookup> lookup() &;
    exchange::Exchange<Lookup> lookup() && = delete;

    /// Stores what was recomputed, and lets go of the guard, also where it cannot be stored.
    /// guard: what the lookup gave.
    [[nodiscard]] exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) &;
    exchange::Exchange<StoreOutcome> store(Content content, std::optional<base::OwnerToken> guard) && = delete;

    /// Lets go of the guard without a value: the recomputation failed, and the next client may try.
    [[nodiscard]] exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) &;
    exchange::Exchange<locks::ReleaseOutcome> abandon(base::OwnerToken guard) && = delete;

    /// Gives the guard a new lease from now on, for a recomputation that takes long.
    [[nodiscard]] exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) &;
    exchange::Exchange<locks::Extension> renew(base::OwnerToken guard) && = delete;

    [[nodiscard]] const GuardOptions &options() const { return m_options; }

    /// A lookup, and on a miss the store of this content: Exists after a hit, Busy where another is recomputing.
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

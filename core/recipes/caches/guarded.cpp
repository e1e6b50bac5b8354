#include "core/recipes/caches/guarded.h"

namespace latchkey::caches {

using base::Error;
using base::Failure;
using base::Key;
using base::OwnerToken;
using exchange::Exchange;
using exchange::freshToken;
using exchange::Pause;
using exchange::Script;
using exchange::ScriptCall;
using locks::Acquisition;
using locks::Extension;
using locks::ReleaseOutcome;
using resp::get;
using resp::Reply;
using resp::set;
using namespace std::chrono_literals;

namespace {

const Script &storeAndRelease()
{
    static const Script script(QStringLiteral("store-and-release"));
    return script;
}

Lookup valueOf(LookupOutcome outcome, const Found &found)
{
    Lookup lookup;
    lookup.outcome = outcome;
    lookup.value = found.content->value();
    return lookup;
}

} // namespace

Recipe GuardedCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("guarded");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Value with a guarded recomputation"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core",
        "After a miss one client takes a token lock and recomputes; the others wait or are served the stale value."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::ForeignKeySafe, Promise::NoTornRead,
                      Promise::OneRecompute};
    entry.isGuarded = true;
    entry.commands = QStringLiteral("GET SET EVALSHA EVAL STRLEN DEL PEXPIRE PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<GuardedCache>(options.key, *options.lifetime, *options.guard);
    };
    return entry;
}

GuardedCache::GuardedCache(Key key, base::Lease lifetime, const GuardOptions &options)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
    , m_options(options)
    , m_guard(guardKey(m_key), m_options.lease)
{}

Key GuardedCache::guardKey(const Key &key)
{
    return Key(key.bytes() + ":guard");
}

Key GuardedCache::staleKey(const Key &key)
{
    return Key(key.bytes() + ":stale");
}

Exchange<Found> GuardedCache::read() &
{
    const Reply reply = co_await get(m_key);
    co_return foundValue(reply);
}

Exchange<Lookup> GuardedCache::lookup() &
{
    std::chrono::milliseconds waited = 0ms;
    for (std::chrono::milliseconds pause = 5ms;; pause = std::min(pause * 2, std::chrono::milliseconds(50ms))) {
        const Found found = co_await read();
        if (found.isHit())
            co_return valueOf(LookupOutcome::Hit, found);
        if (waited == 0ms && m_options.policy != GuardPolicy::None) {
            co_await probeScriptSupport();
        }
        const std::optional<Lookup> guarded = co_await lookUpGuarded();
        if (guarded)
            co_return *guarded;
        if (waited + pause > m_options.wait)
            co_return Lookup {};
        co_await Pause {pause};
        waited += pause;
    }
}

Exchange<void> GuardedCache::probeScriptSupport() &
{
    const OwnerToken unowned = co_await freshToken();
    (void)co_await storing(QByteArray(), unowned);
}

/// Handles a miss. Absent: another client is recomputing, and there is no stale value to return.
Exchange<std::optional<Lookup>> GuardedCache::lookUpGuarded() &
{
    Lookup mine;
    mine.outcome = LookupOutcome::MustRecompute;
    if (m_options.policy == GuardPolicy::None)
        co_return mine;

    const Acquisition guard = co_await m_guard.acquire();
    if (guard.isAcquired()) {
        mine.guard = guard.token;
        mine.guardValidUntil = guard.validUntil;
        const Found found = co_await readUnder(guard.token);
        if (!found.isHit())
            co_return mine;
        co_await releaseGuard(guard.token);
        co_return valueOf(LookupOutcome::Hit, found);
    }
    if (m_options.policy == GuardPolicy::ServeStale) {
        const Reply reply = co_await get(staleKey(m_key));
        const Found stale = foundValue(reply);
        if (stale.isHit())
            co_return valueOf(LookupOutcome::Stale, stale);
    }
    co_return std::nullopt;
}

/// Reads again under the guard. If the read fails, releases the guard, because the caller will not recompute.
Exchange<Found> GuardedCache::readUnder(OwnerToken guard) &
{
    Found found;
    std::optional<Error> error;
    try {
        found = co_await read();
    } catch (const Failure &failure) {
        error = failure.error();
    }
    if (error) {
        co_await releaseGuard(guard);
        throw Failure(*error);
    }
    co_return found;
}

Exchange<StoreOutcome> GuardedCache::store(Content content, std::optional<OwnerToken> guard) &
{
    if (!guard) {
        (void)co_await set(m_key).to(valueIn(content)).expiringIn(m_lifetime);
        co_return StoreOutcome::Stored;
    }
    Reply reply;
    std::optional<Error> error;
    try {
        reply = co_await storing(valueIn(content), *guard);
    } catch (const Failure &failure) {
        error = failure.error();
    }
    if (error) {
        // If only the reply was lost, the script may still arrive. Without the guard, it changes nothing.
        co_await releaseGuard(*guard);
        throw Failure(*error);
    }
    co_return reply.isInteger(1) ? StoreOutcome::Stored : StoreOutcome::GuardLost;
}

ScriptCall GuardedCache::storing(const QByteArray &value, const OwnerToken &guard) const
{
    const auto lifetime = m_lifetime.duration();
    if (m_options.policy != GuardPolicy::ServeStale)
        return storeAndRelease().on(guardKey(m_key)).on(m_key).with(guard).with(value).with(lifetime.count());
    const auto staleLifetime = lifetime + m_options.staleFor.value_or(m_lifetime).duration();
    return storeAndRelease()
        .on(guardKey(m_key))
        .on(m_key)
        .on(staleKey(m_key))
        .with(guard)
        .with(value)
        .with(lifetime.count())
        .with(staleLifetime.count());
}

/// Releases the guard and ignores failures. Without the release, the guard ends with its lease, and other clients wait
/// longer.
Exchange<void> GuardedCache::releaseGuard(OwnerToken guard) &
{
    try {
        (void)co_await m_guard.release(guard);
    } catch (const Failure &) { // NOLINT(bugprone-empty-catch): the caller reports its own result or error.
    }
}

Exchange<ReleaseOutcome> GuardedCache::abandon(OwnerToken guard) &
{
    return m_guard.release(std::move(guard));
}

Exchange<Extension> GuardedCache::renew(OwnerToken guard) &
{
    return m_guard.extend(std::move(guard), m_options.lease);
}

Exchange<WriteOutcome> GuardedCache::write(Content content) &
{
    (void)valueIn(content);
    const Lookup found = co_await lookup();
    switch (found.outcome) {
    case LookupOutcome::Hit:
        co_return WriteOutcome::Exists;
    case LookupOutcome::Stale:
    case LookupOutcome::GaveUp:
        co_return WriteOutcome::Busy;
    case LookupOutcome::MustRecompute:
        break;
    }
    const StoreOutcome stored = co_await store(std::move(content), found.guard);
    co_return stored == StoreOutcome::Stored ? WriteOutcome::Written : WriteOutcome::GuardLost;
}

} // namespace latchkey::caches

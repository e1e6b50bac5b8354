#include "core/recipes/locks/renewing.h"

#include "core/recipes/locks/token.h"

#include <algorithm>

namespace latchkey::locks {

using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::dueBy;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::Pause;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

milliseconds timeUntil(MonotonicTime then, MonotonicTime now)
{
    return std::max(std::chrono::ceil<milliseconds>(then - now), 0ms);
}

/// Returns when a third of the lease is over. The lease starts when it was requested, as does its validity.
MonotonicTime renewalTime(const Lease &lease, MonotonicTime validUntil)
{
    const MonotonicTime sent = validUntil + lease.drift() - lease.duration();
    return sent + lease.duration() / 3;
}

/// Returns when half of the lease is over, or later after an attempt that took long to fail.
MonotonicTime secondTime(const Lease &lease, MonotonicTime validUntil, MonotonicTime failed)
{
    const auto shortestPause = std::clamp(lease.duration() / 30, milliseconds(5ms), milliseconds(1s));
    return std::max(renewalTime(lease, validUntil) + lease.duration() / 6, failed + shortestPause);
}

Renewal lost(Loss::Kind kind, std::optional<base::Error> reason = {})
{
    return tl::unexpected(Loss {kind, std::move(reason)});
}

} // namespace

base::Text lossText(const Loss &loss, const Recipe &recipe)
{
    switch (loss.kind) {
    case Loss::Kind::NotOwner:
        return base::Text(QT_TRANSLATE_NOOP("core", "another client holds it"));
    case Loss::Kind::Gone:
        return base::Text(QT_TRANSLATE_NOOP("core", "it no longer exists"));
    case Loss::Kind::Unrenewed:
        return loss.reason
                 ? base::Text(QT_TRANSLATE_NOOP("core", "its lease could not be renewed (%1)"), loss.reason->text)
                 : base::Text(QT_TRANSLATE_NOOP("core", "its lease could not be renewed"));
    case Loss::Kind::Shortened:
        return base::Text(QT_TRANSLATE_NOOP("core", "another client has shortened its lease"));
    case Loss::Kind::LeaseExpired:
        break;
    }
    if (!recipe.canExtend)
        return base::Text(QT_TRANSLATE_NOOP("core", "its lease has ended, and the recipe %1 cannot extend it"),
                          recipe.id);
    if (loss.reason)
        return base::Text(QT_TRANSLATE_NOOP("core", "its lease has ended and could not be renewed (%1)"),
                          loss.reason->text);
    return base::Text(
        QT_TRANSLATE_NOOP("core", "its lease ended while this process was stopped or too slow to renew it"));
}

// NOLINTNEXTLINE(*-avoid-reference-coroutine-parameters): the header states the lifetime of the lock.
Exchange<Renewal> renewOnce(Lock &lock, OwnerToken token, Lease lease, MonotonicTime validUntil)
{
    const Instant start = co_await now();
    co_await Pause {timeUntil(renewalTime(lease, validUntil), start.monotonic)};

    const MonotonicTime lastCall = validUntil - lease.duration() / 3;
    std::optional<base::Error> failed;
    for (;;) {
        const Instant before = co_await now();
        if (before.monotonic >= validUntil)
            co_return lost(Loss::Kind::LeaseExpired, failed);

        const bool isSecond = failed.has_value();
        const MonotonicTime due = before.monotonic < lastCall ? lastCall : validUntil;
        std::optional<Extension> extension;
        try {
            extension = co_await dueBy(due, lock.extend(token, lease));
        } catch (const base::Failure &failure) {
            failed = failure.error();
        }
        if (extension && extension->outcome == ExtendOutcome::NotOwner)
            co_return lost(Loss::Kind::NotOwner);
        if (extension && extension->outcome == ExtendOutcome::Gone)
            co_return lost(Loss::Kind::Gone);
        if (failed && failed->kind == base::ErrorKind::WrongType)
            co_return lost(Loss::Kind::NotOwner, failed); // The key has a type that no lock has.

        const Instant after = co_await now();
        if (after.monotonic >= validUntil)
            co_return lost(Loss::Kind::LeaseExpired, failed);
        if (extension)
            co_return extension->validUntil;
        const MonotonicTime next = secondTime(lease, validUntil, after.monotonic);
        if (isSecond || next >= lastCall)
            co_return lost(Loss::Kind::Unrenewed, failed);
        co_await Pause {timeUntil(next, after.monotonic)};
    }
}

// NOLINTNEXTLINE(*-avoid-reference-coroutine-parameters): the header states the lifetime of the lock.
Exchange<Loss> renewUntilLost(Lock &lock, OwnerToken token, Lease lease, MonotonicTime validUntil)
{
    for (;;) {
        const Renewal renewal = co_await renewOnce(lock, token, lease, validUntil);
        if (!renewal)
            co_return renewal.error();
        validUntil = *renewal;
    }
}

Recipe RenewingLock::recipe()
{
    Recipe entry = TokenLock::recipe();
    entry.id = QStringLiteral("renewing");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Lock that its holder keeps renewing"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "A token lock extended at a third of its lease while its holder lives: a short lease for long work."));
    entry.renews = true;
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<RenewingLock>(
            std::make_unique<TokenLock>(options.key, *options.lease, options.token, options.form), *options.lease);
    };
    return entry;
}

RenewingLock::RenewingLock(std::unique_ptr<Lock> lock, Lease lease)
    : m_lock(std::move(lock))
    , m_lease(lease)
{}

Exchange<Acquisition> RenewingLock::acquire() &
{
    return m_lock->acquire();
}

Exchange<ReleaseOutcome> RenewingLock::release(OwnerToken token) &
{
    return m_lock->release(std::move(token));
}

Exchange<Extension> RenewingLock::extend(OwnerToken token, Lease lease) &
{
    return m_lock->extend(std::move(token), lease);
}

Exchange<Loss> RenewingLock::renewUntilLost(OwnerToken token, MonotonicTime validUntil) &
{
    return locks::renewUntilLost(*m_lock, std::move(token), m_lease, validUntil);
}

} // namespace latchkey::locks

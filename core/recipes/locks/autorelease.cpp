#include "core/recipes/locks/autorelease.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using resp::Command;
using resp::del;
using resp::Reply;
using resp::set;

Recipe AutoReleaseLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("auto-release");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Lock with automatic release"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "SET with NX and an expiry: the server frees the lock when the lease runs out."));
    entry.flaw = base::Text(
        QT_TRANSLATE_NOOP("core", "A holder that exceeds its lease deletes the lock of its successor, and both can be "
                                  "inside: mutual-exclusion covers only holders that do not exceed their leases."));
    entry.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ContenderNeutral, Promise::ClockFree};
    entry.hasLease = true;
    entry.hasUnit = true;
    entry.commands = QStringLiteral("SET DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<AutoReleaseLock>(options.key, *options.value, *options.lease, *options.unit);
    };
    return entry;
}

AutoReleaseLock::AutoReleaseLock(base::Key key, QByteArray value, base::Lease lease, LeaseUnit unit)
    : m_key(std::move(key))
    , m_value(std::move(value))
    , m_lease(lease)
    , m_unit(unit)
{}

Exchange<Acquisition> AutoReleaseLock::acquire() &
{
    Command command = m_unit == LeaseUnit::Seconds ? set(m_key).to(m_value).ifAbsent().expiringInSeconds(m_lease)
                                                   : set(m_key).to(m_value).ifAbsent().expiringIn(m_lease);

    const Instant before = co_await now();
    const Reply reply = co_await std::move(command);
    if (!hasWritten(reply))
        co_return Acquisition::busy();

    // A lock with too short a lease is not released: without a token, the DEL could delete another client's lock.
    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(m_value), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> AutoReleaseLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

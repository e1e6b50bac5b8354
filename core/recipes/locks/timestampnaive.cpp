#include "core/recipes/locks/timestampnaive.h"

#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/unixdeadline.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using resp::del;
using resp::get;
using resp::Reply;
using resp::setnx;

Recipe TimestampNaiveLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("timestamp-naive");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Deadline in the value, naive"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "The lock holds its deadline; a client that sees a past one deletes the lock and tries "
                "again."));
    entry.flaw = base::Text(
        QT_TRANSLATE_NOOP("core", "Two clients can see the same past deadline; the second then deletes the first one's "
                                  "new lock, and both are inside."));
    entry.promises = {Promise::CrashRelease};
    entry.value = LockValue::Deadline;
    entry.hasLease = true;
    entry.needsWholeSeconds = true;
    entry.commands = QStringLiteral("SETNX GET DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TimestampNaiveLock>(options.key, *options.lease);
    };
    return entry;
}

TimestampNaiveLock::TimestampNaiveLock(base::Key key, base::Lease lease)
    : m_key(std::move(key))
    , m_lease(lease)
{}

Exchange<Acquisition> TimestampNaiveLock::acquire() &
{
    const Instant before = co_await now();
    const QByteArray deadline = UnixDeadline::after(before.wall, m_lease).toBytes();

    const Reply first = co_await setnx(m_key, deadline);
    if (!first.isInteger(1)) {
        const Reply held = co_await get(m_key);
        if (held.isNil())
            co_return Acquisition::busy(); // Just released: the next attempt will find it free.
        const auto theirs = UnixDeadline::read(m_key, held.bytes());
        if (!theirs)
            throw base::Failure(theirs.error());
        if (!theirs->hasPassed(before.wall))
            co_return Acquisition::busy();

        // The race: the deleted value may differ from the value that was read.

        (void)co_await del(m_key);
        const Reply second = co_await setnx(m_key, deadline);
        if (!second.isInteger(1))
            co_return Acquisition::busy();
    }

    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(deadline), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> TimestampNaiveLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

#include "core/recipes/locks/timestampgetset.h"

#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/unixdeadline.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using resp::del;
using resp::get;
using resp::getset;
using resp::Reply;
using resp::setnx;

Recipe TimestampGetsetLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("timestamp-getset");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Deadline in the value, with GETSET"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "The lock holds its deadline; GETSET decides which client that saw a past deadline was first."));
    entry.flaw = base::Text(QT_TRANSLATE_NOOP(
        "core",
        "It excludes only where all clients ask for the same lease and agree on the time: a loser writes its own "
        "deadline over the winner's, and with a shorter lease ends the winner's early, so that two are inside; and a "
        "late DEL can still hit another's lock."));
    entry.promises = {Promise::CrashRelease};
    entry.value = LockValue::Deadline;
    entry.hasLease = true;
    entry.needsWholeSeconds = true;
    entry.hasToken = true;
    entry.commands = QStringLiteral("SETNX GET GETSET DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TimestampGetsetLock>(options.key, *options.lease);
    };
    return entry;
}

TimestampGetsetLock::TimestampGetsetLock(base::Key key, base::Lease lease)
    : m_key(std::move(key))
    , m_lease(lease)
{}

Exchange<Acquisition> TimestampGetsetLock::acquire() &
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

        const Reply replaced = co_await getset(m_key, deadline);
        if (!replaced.isNil()) {
            // Another client was faster, and this client has overwritten its deadline. An invalid deadline does not
            // belong to a dead holder, either.
            const auto old = UnixDeadline::read(m_key, replaced.bytes());
            if (!old || !old->hasPassed(before.wall))
                co_return Acquisition::busy();
        }
    }

    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(deadline), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> TimestampGetsetLock::release(OwnerToken token) &
{
    const auto own = UnixDeadline::read(m_key, token.bytes());
    if (!own)
        throw base::Failure(base::Error {
            base::ErrorKind::Usage,
            base::Text(
                QT_TRANSLATE_NOOP("core", "the token \"%1\" is not a deadline in Unix seconds, as acquire gives it"),
                base::printable(token.bytes(), 100))});
    const Instant instant = co_await now();
    if (own->hasPassed(instant.wall))
        co_return ReleaseOutcome::NotOwner;
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

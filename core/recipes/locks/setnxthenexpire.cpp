#include "core/recipes/locks/setnxthenexpire.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::del;
using resp::expire;
using resp::Reply;
using resp::setnx;

Recipe SetnxThenExpireLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("setnx-then-expire");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "SETNX, then EXPIRE"));
    entry.summary =
        base::Text(QT_TRANSLATE_NOOP("core", "Two commands: the first makes the lock, the second gives it its lease."));
    entry.flaw = base::Text(QT_TRANSLATE_NOOP("core", "A client that dies between the two leaves a lock for ever."));
    entry.promises = {Promise::MutualExclusion, Promise::ContenderNeutral, Promise::ClockFree};
    entry.hasLease = true;
    entry.commands = QStringLiteral("SETNX EXPIRE PEXPIRE DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<SetnxThenExpireLock>(options.key, *options.value, *options.lease);
    };
    return entry;
}

SetnxThenExpireLock::SetnxThenExpireLock(base::Key key, QByteArray value, base::Lease lease)
    : m_key(std::move(key))
    , m_value(std::move(value))
    , m_lease(lease)
{}

Exchange<Acquisition> SetnxThenExpireLock::acquire() &
{
    const Instant before = co_await now();
    const Reply won = co_await setnx(m_key, m_value);
    if (!won.isInteger(1))
        co_return Acquisition::busy();

    // The gap: a client that dies here leaves a lock that stays forever.

    const Answer leased = co_await tentatively(expire(m_key, m_lease));
    if (!leased) {
        // The server has certainly refused the lease. The lock still belongs to this client, so it can be released.
        if (!isOutcomeUnknown(leased)) {
            (void)co_await tentatively(del(m_key));
        }
        throw base::Failure(leased.error());
    }
    if (!leased->isInteger(1))
        co_return Acquisition::busy(); // A late DEL of another client removed the lock before it had a lease.

    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(m_value), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> SetnxThenExpireLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

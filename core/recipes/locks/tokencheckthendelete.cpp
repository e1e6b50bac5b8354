#include "core/recipes/locks/tokencheckthendelete.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::Command;
using resp::del;
using resp::get;
using resp::Reply;
using resp::set;

Recipe TokenCheckThenDeleteLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("token-check-then-delete");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Token, checked and then deleted"));
    entry.summary =
        base::Text(QT_TRANSLATE_NOOP("core", "The value is a token; release reads it, compares, and deletes."));
    entry.flaw = base::Text(
        QT_TRANSLATE_NOOP("core", "Between the check and the delete the lease can end and the lock change hands."));
    entry.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ContenderNeutral, Promise::ClockFree};
    entry.value = LockValue::Token;
    entry.hasLease = true;
    entry.hasUnit = true;
    entry.hasToken = true;
    entry.commands = QStringLiteral("SET GET DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TokenCheckThenDeleteLock>(options.key, *options.lease, *options.unit, options.token);
    };
    return entry;
}

TokenCheckThenDeleteLock::TokenCheckThenDeleteLock(base::Key key, base::Lease lease, LeaseUnit unit,
                                                   std::optional<OwnerToken> password)
    : m_hold(std::move(key), lease, std::move(password))
    , m_unit(unit)
{}

Exchange<Acquisition> TokenCheckThenDeleteLock::acquire() &
{
    const OwnerToken token = co_await m_hold.tokenForAttempt();
    Command command = m_unit == LeaseUnit::Seconds
                        ? set(m_hold.key()).to(token).ifAbsent().expiringInSeconds(m_hold.lease())
                        : set(m_hold.key()).to(token).ifAbsent().expiringIn(m_hold.lease());

    const Instant before = co_await now();
    const Answer received = co_await tentatively(std::move(command));
    const Answer answer = validatedSetReply(received);
    const Reply reply = co_await m_hold.replyTo(answer, token);
    if (!reply.isOk())
        co_return Acquisition::busy();
    const Acquisition acquired = co_await m_hold.won(token, before.monotonic);
    co_return acquired;
}

Exchange<ReleaseOutcome> TokenCheckThenDeleteLock::release(OwnerToken token) &
{
    const Reply holder = co_await get(m_hold.key());
    if (holder.isNil())
        co_return ReleaseOutcome::Gone;
    if (!holder.isBulk(token.bytes()))
        co_return ReleaseOutcome::NotOwner;

    // The gap: the deleted value may differ from the compared one.

    const Reply deleted = co_await del(m_hold.key());
    co_return deleted.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

#include "core/recipes/locks/token.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::Reply;
using resp::set;

Recipe TokenLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("token");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Password-protected lock"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "The value is a secret token; one script compares it and deletes, so only the holder releases."));
    entry.promises = {Promise::MutualExclusion,  Promise::CrashRelease, Promise::OwnerOnlyRelease,
                      Promise::ContenderNeutral, Promise::ClockFree,    Promise::PartitionSafe};
    entry.value = LockValue::Token;
    entry.hasLease = true;
    entry.hasToken = true;
    entry.canExtend = true;
    entry.hasForms = true;
    entry.commands = QStringLiteral("SET EVALSHA EVAL GET DEL PEXPIRE").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TokenLock>(options.key, *options.lease, options.token, options.form);
    };
    return entry;
}

TokenLock::TokenLock(base::Key key, Lease lease, std::optional<OwnerToken> password, CompareForm form)
    : m_hold(std::move(key), lease, std::move(password), form)
{}

Exchange<Acquisition> TokenLock::acquire() &
{
    const OwnerToken token = co_await m_hold.tokenForAttempt();
    const Instant before = co_await now();
    const Answer received = co_await tentatively(set(m_hold.key()).to(token).ifAbsent().expiringIn(m_hold.lease()));
    const Answer answer = validatedSetReply(received);
    const Reply reply = co_await m_hold.replyTo(answer, token);
    if (!reply.isOk())
        co_return Acquisition::busy();
    const Acquisition acquired = co_await m_hold.won(token, before.monotonic);
    co_return acquired;
}

Exchange<ReleaseOutcome> TokenLock::release(OwnerToken token) &
{
    return m_hold.compareAndDelete(std::move(token));
}

Exchange<Extension> TokenLock::extend(OwnerToken token, Lease lease) &
{
    return m_hold.compareAndExtend(std::move(token), lease);
}

} // namespace latchkey::locks

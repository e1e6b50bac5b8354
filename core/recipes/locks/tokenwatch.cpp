#include "core/recipes/locks/tokenwatch.h"

#include "core/recipes/locks/attempt.h"

#include "core/recipes/locks/token.h"

namespace latchkey::locks {

using base::ErrorKind;
using base::Failure;
using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::del;
using resp::discard;
using resp::exec;
using resp::get;
using resp::multi;
using resp::Reply;
using resp::set;
using resp::unwatch;
using resp::watch;

Recipe TokenWatchLock::recipe()
{
    Recipe entry = TokenLock::recipe();
    entry.id = QStringLiteral("token-watch");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Token, released by optimistic locking"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "WATCH, GET, MULTI, DEL, EXEC: the delete happens only if nothing has changed since "
                                  "the check, without a script."));
    entry.needsOwnConnection = true;
    entry.hasForms = false; // The recipe demonstrates the release without these commands.
    entry.commands = QStringLiteral("SET WATCH GET MULTI DEL EXEC EVALSHA EVAL PEXPIRE").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TokenWatchLock>(options.key, *options.lease, options.token);
    };
    return entry;
}

TokenWatchLock::TokenWatchLock(base::Key key, Lease lease, std::optional<OwnerToken> password)
    : m_hold(std::move(key), lease, std::move(password))
{}

Exchange<Acquisition> TokenWatchLock::acquire() &
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

Exchange<ReleaseOutcome> TokenWatchLock::release(OwnerToken token) &
{
    // A transaction that was not executed only shows that the key has changed, so the key is read again. While this
    // client owns the key, only this client changes it, by extending. A few attempts are enough.
    constexpr int maxAttempts = 8;
    for (int attempt = 0; attempt < maxAttempts; ++attempt) {
        (void)co_await watch(m_hold.key());
        const Answer holder = co_await tentatively(get(m_hold.key()));
        if (!holder || !holder->isBulk(token.bytes())) {
            (void)co_await tentatively(unwatch());
            if (!holder)
                throw Failure(holder.error());
            co_return holder->isNil() ? ReleaseOutcome::Gone : ReleaseOutcome::NotOwner;
        }
        const Reply executed = co_await deleteWatched();
        if (executed.isNil())
            continue;
        // A server before 6.0.9 executes the transaction although the key has expired. DEL is the last command: the
        // session may have sent a PING before it.
        const bool wasThere = !executed.elements().empty() && executed.elements().back().isInteger(1);
        co_return wasThere ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
    }
    throw Failure(base::Error {
        ErrorKind::TransactionAborted,
        base::Text::counted(maxAttempts,
                            QT_TRANSLATE_N_NOOP("core", "the lock changed %n times while it was to be released"))});
}

Exchange<Extension> TokenWatchLock::extend(OwnerToken token, Lease lease) &
{
    return m_hold.compareAndExtend(std::move(token), lease);
}

/// Returns the reply to EXEC: nil if the watched key has changed. After an error, the connection is neither in MULTI
/// nor watching.
Exchange<Reply> TokenWatchLock::deleteWatched() &
{
    // MULTI is sent separately: if it were refused, a DEL sent with it would be executed at once.
    const Answer begun = co_await tentatively(multi());
    if (!begun) {
        (void)co_await tentatively(unwatch());
        throw Failure(begun.error());
    }
    Batch rest = Batch().add(del(m_hold.key())).add(exec());
    const Answers answers = co_await std::move(rest);
    const Answer &queued = answers.front();
    const Answer &executed = answers.back();
    if (executed)
        co_return *executed;
    if (executed.error().kind != ErrorKind::TransactionAborted) {
        (void)co_await tentatively(discard());
    }
    throw Failure(queued ? executed.error() : queued.error());
}

} // namespace latchkey::locks

#include "core/recipes/locks/tokenwait.h"

#include "core/foundation/base/duration.h"
#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/token.h"

#include <algorithm>

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
using std::chrono::milliseconds;

namespace {

resp::Command waitForReplica(milliseconds timeout)
{
    return {"WAIT", "1", QByteArray::number(qint64(timeout.count()))};
}

Acquisition unconfirmed(milliseconds timeout)
{
    Acquisition acquisition = Acquisition::busy();
    acquisition.reason = base::Text(QT_TRANSLATE_NOOP("core", "no replica confirmed the lock within %1, so it was "
                                                              "released"),
                                    base::formatDuration(timeout));
    return acquisition;
}

} // namespace

Recipe TokenWaitLock::recipe()
{
    Recipe entry = TokenLock::recipe();
    entry.id = QStringLiteral("token-wait");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Token, confirmed by a replica"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "After SET, WAIT 1 asks whether a replica has the lock; if none has, the client "
                                  "releases it. With one replica, the lock survives a failover."));
    entry.flaw = base::Text(
        QT_TRANSLATE_NOOP("core", "With two replicas, the one without the lock may be promoted. Without a replica, no "
                                  "client gets the lock."));
    entry.promises.push_back(Promise::FailoverSafe);
    entry.needsReplica = true;
    entry.commands = QStringLiteral("SET WAIT EVALSHA EVAL GET DEL PEXPIRE").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<TokenWaitLock>(options.key, *options.lease, options.token, options.form);
    };
    return entry;
}

TokenWaitLock::TokenWaitLock(base::Key key, Lease lease, std::optional<OwnerToken> password, CompareForm form)
    : m_hold(std::move(key), lease, std::move(password), form)
{}

Exchange<Acquisition> TokenWaitLock::acquire() &
{
    const OwnerToken token = co_await m_hold.tokenForAttempt();
    const Instant before = co_await now();
    const Answer received = co_await tentatively(set(m_hold.key()).to(token).ifAbsent().expiringIn(m_hold.lease()));
    const Answer answer = validatedSetReply(received);
    const Reply reply = co_await m_hold.replyTo(answer, token);
    if (!reply.isOk())
        co_return Acquisition::busy();
    // The rest of the lease is for the holder.
    const milliseconds timeout = std::min(confirmationTimeout, m_hold.lease().duration() / 2);
    const Answer confirmed = co_await tentatively(waitForReplica(timeout));
    const bool isConfirmed = confirmed && confirmed->isInteger() && confirmed->toInteger() > 0;
    if (!isConfirmed) {
        const Answer deleted = co_await tentatively(m_hold.deletion(token));
        if (!deleted)
            throw base::Failure(deleted.error().during(
                base::Text(QT_TRANSLATE_NOOP("core", "no replica confirmed the lock, and it could not be released"))));
        if (!confirmed)
            throw base::Failure(confirmed.error());
        co_return unconfirmed(timeout);
    }
    const Acquisition acquired = co_await m_hold.won(token, before.monotonic);
    co_return acquired;
}

Exchange<ReleaseOutcome> TokenWaitLock::release(OwnerToken token) &
{
    return m_hold.compareAndDelete(std::move(token));
}

Exchange<Extension> TokenWaitLock::extend(OwnerToken token, Lease lease) &
{
    return m_hold.compareAndExtend(std::move(token), lease);
}

} // namespace latchkey::locks

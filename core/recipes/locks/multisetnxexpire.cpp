#include "core/recipes/locks/multisetnxexpire.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::del;
using resp::exec;
using resp::expire;
using resp::multi;
using resp::Reply;
using resp::setnx;

Recipe MultiSetnxExpireLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("multi-setnx-expire");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "SETNX and EXPIRE in a transaction"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "MULTI, SETNX, EXPIRE, EXEC: lock and lease together, no matter who dies."));
    entry.flaw = base::Text(QT_TRANSLATE_NOOP(
        "core", "Every losing client gives the winner's lock its own lease: a longer one keeps a dead "
                "holder's lock alive, and a "
                "shorter one ends a living holder's early, so that two are inside without any fault."));
    entry.promises = {Promise::CrashRelease};
    entry.hasLease = true;
    entry.failedAcquireChangesKey = true;
    entry.commands = QStringLiteral("MULTI SETNX EXPIRE PEXPIRE EXEC DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<MultiSetnxExpireLock>(options.key, *options.value, *options.lease);
    };
    return entry;
}

MultiSetnxExpireLock::MultiSetnxExpireLock(base::Key key, QByteArray value, base::Lease lease)
    : m_key(std::move(key))
    , m_value(std::move(value))
    , m_lease(lease)
{}

Exchange<Acquisition> MultiSetnxExpireLock::acquire() &
{
    Batch transaction = Batch().add(multi()).add(setnx(m_key, m_value)).add(expire(m_key, m_lease)).add(exec());

    const Instant before = co_await now();
    const Answers answers = co_await std::move(transaction);

    // If MULTI is refused, the commands after it are executed at once instead of queued.
    if (!answers[0] && answers[1] && answers[1]->isInteger(1)) {
        (void)co_await tentatively(del(m_key));
    }
    // If a command is refused, EXEC executes nothing. The first error has the cause.
    for (const Answer &answer : answers) {
        if (!answer)
            throw base::Failure(answer.error());
    }
    const Reply &executed = *answers.back();
    if (executed.elements().empty() || !executed.elements().front().isInteger(1))
        co_return Acquisition::busy(); // The holder's lease has been replaced by ours.

    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(m_value), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> MultiSetnxExpireLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks

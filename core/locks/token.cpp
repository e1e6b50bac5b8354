#include "core/locks/token.h"

#include "core/locks/attempt.h"

namespace latchkey::locks {

using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::freshToken;
using exchange::Instant;
using exchange::now;
using exchange::Script;
using exchange::tentatively;
using resp::Reply;
using resp::set;

namespace {

const Script &compareAndDelete()
{
    static const Script script(QStringLiteral("compare-and-delete"));
    return script;
}

const Script &compareAndExtend()
{
    static const Script script(QStringLiteral("compare-and-extend"));
    return script;
}

} // namespace

TokenLock::TokenLock(base::Key key, Lease lease, std::optional<OwnerToken> password)
    : m_key(std::move(key))
    , m_lease(lease)
    , m_password(std::move(password))
{}

Exchange<Acquisition> TokenLock::acquire() &
{
    const OwnerToken token = co_await tokenForAttempt();
    const Instant before = co_await now();
    const Answer answer = co_await tentatively(set(m_key).to(token).ifAbsent().expiringIn(m_lease));
    if (isUnclear(answer)) {
        co_await withdraw(token);
    }
    if (!hasWon(answer))
        co_return Acquisition::busy();

    const Instant after = co_await now();
    if (after.monotonic >= m_lease.validUntil(before.monotonic)) {
        co_await withdraw(token);
        throw shorterThanRoundTrip(m_lease, before.monotonic, after.monotonic);
    }

    Acquisition acquired;
    acquired.outcome = AcquireOutcome::Acquired;
    acquired.token = token;
    acquired.lease = m_lease;
    acquired.validUntil = m_lease.validUntil(before.monotonic);
    co_return acquired;
}

Exchange<ReleaseOutcome> TokenLock::release(OwnerToken token) &
{
    const Reply reply = co_await compareAndDelete().on(m_key).with(token);
    if (reply.isInteger(1))
        co_return ReleaseOutcome::Released;
    co_return reply.isInteger(0) ? ReleaseOutcome::NotOwner : ReleaseOutcome::Gone;
}

Exchange<Extension> TokenLock::extend(OwnerToken token, Lease lease) &
{
    const Instant before = co_await now();
    const Reply reply = co_await compareAndExtend().on(m_key).with(token).with(lease.duration().count());
    const Instant after = co_await now();

    Extension extension;
    extension.outcome = reply.isInteger(1) ? ExtendOutcome::Extended
                      : reply.isInteger(0) ? ExtendOutcome::NotOwner
                                           : ExtendOutcome::Gone;
    extension.validUntil = lease.validUntil(before.monotonic);
    if (extension.outcome == ExtendOutcome::Extended && after.monotonic >= extension.validUntil)
        throw shorterThanRoundTrip(lease, before.monotonic, after.monotonic);
    co_return extension;
}

Exchange<OwnerToken> TokenLock::tokenForAttempt() &
{
    if (m_password)
        co_return *m_password;
    const OwnerToken token = co_await freshToken();
    co_return token;
}

/// Takes back an acquire that nobody can rely on. Only a token made for this very attempt is certain to be in no other
/// lock; a password may guard an earlier hold. If this fails as well, the lease ends it.
Exchange<void> TokenLock::withdraw(OwnerToken token) &
{
    if (m_password)
        co_return;
    try {
        (void)co_await compareAndDelete().on(m_key).with(token).onNewConnection();
    } catch (const base::Failure &) { // NOLINT(bugprone-empty-catch): the error that led here is the one to report.
    }
}

} // namespace latchkey::locks

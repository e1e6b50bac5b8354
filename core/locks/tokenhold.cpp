#include "core/locks/tokenhold.h"

#include "core/locks/attempt.h"

namespace latchkey::locks {

using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::freshToken;
using exchange::Instant;
using exchange::now;
using exchange::Script;
using resp::Reply;

const Script &compareAndDeleteScript()
{
    static const Script script(QStringLiteral("compare-and-delete"));
    return script;
}

const Script &compareAndExtendScript()
{
    static const Script script(QStringLiteral("compare-and-extend"));
    return script;
}

TokenHold::TokenHold(base::Key key, Lease lease, std::optional<OwnerToken> password)
    : m_key(std::move(key))
    , m_lease(lease)
    , m_password(std::move(password))
{}

Exchange<OwnerToken> TokenHold::tokenForAttempt() &
{
    if (m_password)
        co_return *m_password;
    const OwnerToken token = co_await freshToken();
    co_return token;
}

Exchange<Reply> TokenHold::replyTo(Answer answer, OwnerToken token) &
{
    if (isUnclear(answer)) {
        co_await withdraw(token);
    }
    if (!answer)
        throw base::Failure(answer.error());
    co_return *answer;
}

Exchange<Acquisition> TokenHold::won(OwnerToken token, MonotonicTime sent) &
{
    const Instant after = co_await now();
    if (after.monotonic >= m_lease.validUntil(sent)) {
        co_await withdraw(token);
    }
    co_return acquiredFor(m_lease, token, sent, after.monotonic);
}

Exchange<ReleaseOutcome> TokenHold::compareAndDelete(OwnerToken token) &
{
    const Reply reply = co_await compareAndDeleteScript().on(m_key).with(token);
    if (reply.isInteger(1))
        co_return ReleaseOutcome::Released;
    co_return reply.isInteger(0) ? ReleaseOutcome::NotOwner : ReleaseOutcome::Gone;
}

Exchange<Extension> TokenHold::compareAndExtend(OwnerToken token, Lease lease) &
{
    const Instant before = co_await now();
    const Reply reply = co_await compareAndExtendScript().on(m_key).with(token).with(lease.duration().count());
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

/// Takes back an acquire that nobody can rely on. Only a token made for this very attempt is certain to be in no other
/// lock; a password may guard an earlier hold. If this fails as well, the lease ends it.
Exchange<void> TokenHold::withdraw(OwnerToken token) &
{
    if (m_password)
        co_return;
    (void)co_await tentatively(compareAndDeleteScript().on(m_key).with(token).onNewConnection());
}

} // namespace latchkey::locks

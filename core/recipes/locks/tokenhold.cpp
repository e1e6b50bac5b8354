#include "core/recipes/locks/tokenhold.h"

#include "core/recipes/locks/attempt.h"

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
using exchange::ScriptCall;
using resp::Reply;

TokenHold::TokenHold(base::Key key, Lease lease, std::optional<OwnerToken> password, CompareForm form)
    : m_key(std::move(key))
    , m_lease(lease)
    , m_password(std::move(password))
    , m_form(form)
{}

ScriptCall TokenHold::deletion(const OwnerToken &token) const
{
    static const Script script(QStringLiteral("compare-and-delete"));
    ScriptCall call = script.on(m_key).with(token);
    switch (m_form) {
    case CompareForm::Script:
        break;
    case CompareForm::DelIfEq:
        return std::move(call).orSingleCommand(resp::deleteIfEqual(m_key, token), resp::exists(m_key));
    case CompareForm::DelEx:
        return std::move(call).orSingleCommand(resp::deleteExtended(m_key, token), resp::exists(m_key));
    }
    return call;
}

ScriptCall TokenHold::extension(const OwnerToken &token, Lease lease) const
{
    static const Script script(QStringLiteral("compare-and-extend"));
    ScriptCall call = script.on(m_key).with(token).with(lease.duration().count());
    if (m_form == CompareForm::Script)
        return call;
    return std::move(call).orSingleCommand(resp::set(m_key).to(token).ifEqual(token).expiringIn(lease),
                                           resp::exists(m_key));
}

Exchange<OwnerToken> TokenHold::tokenForAttempt() &
{
    if (m_password)
        co_return *m_password;
    const OwnerToken token = co_await freshToken();
    co_return token;
}

Exchange<Reply> TokenHold::replyTo(Answer answer, OwnerToken token) &
{
    if (isOutcomeUnknown(answer)) {
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
    const Reply reply = co_await deletion(token);
    if (reply.isInteger(1))
        co_return ReleaseOutcome::Released;
    co_return reply.isInteger(0) ? ReleaseOutcome::NotOwner : ReleaseOutcome::Gone;
}

Exchange<Extension> TokenHold::compareAndExtend(OwnerToken token, Lease lease) &
{
    const Instant before = co_await now();
    const Reply reply = co_await extension(token, lease);
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

/// Withdraws an unreliable attempt. Only a token created for this attempt is certainly in no other lock; an earlier
/// hold may have the same password. If the withdrawal fails, the lease ends the lock.
Exchange<void> TokenHold::withdraw(OwnerToken token) &
{
    if (m_password)
        co_return;
    (void)co_await tentatively(deletion(token).onNewConnection());
}

} // namespace latchkey::locks

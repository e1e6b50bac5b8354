#include "core/recipes/locks/attempt.h"

#include "core/foundation/base/duration.h"

namespace latchkey::locks {

bool isOutcomeUnknown(const exchange::Answer &answer)
{
    return !answer && base::leavesOutcomeUnknown(answer.error().kind);
}

exchange::Answer validatedSetReply(exchange::Answer answer)
{
    if (!answer || answer->isOk() || answer->isNil())
        return answer;
    return base::failure(base::ErrorKind::Protocol,
                         QT_TRANSLATE_NOOP("core", "the reply to SET is neither OK nor nil, so it is unknown whether "
                                                   "the lock was acquired"));
}

bool hasWritten(const resp::Reply &reply)
{
    const exchange::Answer answer = validatedSetReply(reply);
    if (!answer)
        throw base::Failure(answer.error());
    return answer->isOk();
}

Acquisition acquiredWithoutLease(base::OwnerToken token)
{
    Acquisition acquired;
    acquired.outcome = AcquireOutcome::Acquired;
    acquired.token = std::move(token);
    return acquired;
}

Acquisition acquiredFor(base::Lease lease, base::OwnerToken token, base::MonotonicTime sent,
                        base::MonotonicTime received)
{
    if (received >= lease.validUntil(sent))
        throw shorterThanRoundTrip(lease, sent, received);
    Acquisition acquired = acquiredWithoutLease(std::move(token));
    acquired.lease = lease;
    acquired.validUntil = lease.validUntil(sent);
    return acquired;
}

base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent, base::MonotonicTime received)
{
    const auto roundTrip = std::chrono::ceil<std::chrono::milliseconds>(received - sent);
    return base::Failure(
        base::Error {base::ErrorKind::Usage,
                     base::Text(QT_TRANSLATE_NOOP("core", "the lease of %1 is too short for a server %2 away"),
                                base::formatDuration(lease.duration()), base::formatDuration(roundTrip))});
}

} // namespace latchkey::locks

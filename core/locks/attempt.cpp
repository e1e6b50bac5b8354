#include "core/locks/attempt.h"

#include "core/base/duration.h"

namespace latchkey::locks {

bool isUnclear(const exchange::Answer &answer)
{
    return !answer && base::leavesOutcomeUnknown(answer.error().kind);
}

bool hasWon(const exchange::Answer &answer)
{
    if (!answer)
        throw base::Failure(answer.error());
    return answer->isOk();
}

base::Failure shorterThanRoundTrip(base::Lease lease, base::MonotonicTime sent, base::MonotonicTime received)
{
    const auto roundTrip = std::chrono::ceil<std::chrono::milliseconds>(received - sent);
    return base::Failure(base::Error {
        base::ErrorKind::Usage, QStringLiteral("the lease of %1 is too short for a server %2 away")
                                    .arg(base::formatDuration(lease.duration()), base::formatDuration(roundTrip))});
}

} // namespace latchkey::locks

#include "core/inspect/detection/lockcandidatequeue.h"

namespace latchkey::detection {

using base::MonotonicTime;
using keys::KeyId;
using recognition::LockLikelihood;

bool LockCandidateQueue::isLockCandidate(LockLikelihood likelihood, const base::Deadline &deadline, MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    return likelihood == LockLikelihood::Some && left && *left <= maxLease;
}

void LockCandidateQueue::offer(KeyId id)
{
    if (m_waiting.size() < maxCandidates)
        m_waiting.push(id);
}

QList<QByteArray> LockCandidateQueue::take(qsizetype count, const keys::KnownKeys &known)
{
    QList<QByteArray> names;
    while (names.size() < count && !m_waiting.isEmpty()) {
        const KeyId id = m_waiting.take();
        if (known.isLive(id) && known.value(id) == nullptr)
            names += known.table.key(id).toByteArray();
    }
    return names;
}

} // namespace latchkey::detection

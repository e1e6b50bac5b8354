#include "core/inspect/detection/lockcandidatequeue.h"

namespace latchkey::detection {

using base::MonotonicTime;
using keys::KeyId;
using recognition::Interest;

bool LockCandidateQueue::isLockCandidate(Interest interest, const base::Deadline &deadline, MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    return interest == Interest::Some && left && *left <= maxLease;
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

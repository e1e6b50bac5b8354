#pragma once

#include "core/foundation/base/uniquequeue.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/keys/knownkeys.h"

namespace latchkey::detection {

/// A queue of lock candidates whose names do not suggest a lock, for servers with many keys. Only a key that expires
/// within maxLease is queued.
///
/// Some libraries let their users choose the name (Redisson: `stock`), and a million values are too many to read. A
/// lease is short, so that a lock does not outlive its holder for long; keys with a later expiry are therefore not
/// queued. Owned by the LockFinder, which reads a few keys of the queue when it has no more likely candidate.
class LockCandidateQueue final
{
public:
    /// The longest TTL of a queued key: twice the lease of Redisson's watchdog.
    static constexpr std::chrono::milliseconds maxLease {60'000};
    /// The capacity of the queue.
    static constexpr qsizetype maxCandidates = 100'000;

    /// Returns whether a key with this name likelihood and this deadline must be queued.
    [[nodiscard]] static bool isLockCandidate(recognition::LockLikelihood likelihood, const base::Deadline &deadline,
                                              base::MonotonicTime now);

    void offer(keys::KeyId id);
    void clear() { m_waiting.clear(); }
    [[nodiscard]] bool isEmpty() const { return m_waiting.isEmpty(); }
    /// Removes keys in FIFO order until `count` keys were removed that still exist and are unread. Returns these keys.
    [[nodiscard]] QList<QByteArray> take(qsizetype count, const keys::KnownKeys &known);

private:
    base::UniqueQueue<keys::KeyId> m_waiting;
};

} // namespace latchkey::detection

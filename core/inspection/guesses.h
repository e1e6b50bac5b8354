#pragma once

#include "core/base/uniquequeue.h"
#include "core/keys/knownkeys.h"
#include "core/recognition/recogniser.h"

namespace latchkey::inspection {

/// Among many keys, those whose names say nothing and that may be locks all the same: they end as soon as a lease does.
///
/// Some libraries leave the name to their users (Redisson: `stock`), and a million values are too many to read. A lease
/// is short, so that it need not be long waited for when its holder dies; what ends later than that is not guessed at.
/// Owned by the LockFinder, which reads a few when there is nothing better to read.
class Guesses final
{
public:
    /// What has more time left than this is no guess: twice what Redisson's watchdog gives.
    static constexpr std::chrono::milliseconds longestLease {60'000};
    /// No more of them wait.
    static constexpr qsizetype most = 100'000;

    /// Whether a key of that name, with that end, is one.
    [[nodiscard]] static bool isGuess(recognition::Interest interest, const base::Deadline &deadline,
                                      base::MonotonicTime now);

    void offer(keys::KeyId id);
    void clear() { m_waiting.clear(); }
    [[nodiscard]] bool isEmpty() const { return m_waiting.isEmpty(); }
    /// Up to so many of those that still are there and have not been read, those that have waited longest first.
    [[nodiscard]] QList<QByteArray> take(qsizetype count, const keys::KnownKeys &known);

private:
    base::UniqueQueue<keys::KeyId> m_waiting;
};

} // namespace latchkey::inspection

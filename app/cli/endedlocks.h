#pragma once

#include "core/keyspace/events/keyevent.h"

#include <QHash>

#include <utility>

namespace latchkey::cli {

/// The last end of each lock of a cluster that is not held any more. A value; owned by the ClusterHolds.
///
/// A primary that had a key before a migration may notice late that the lock has ended, or report the next hold as a
/// change of the former one.
class EndedLocks final
{
public:
    /// Adds an end and the interval that contains it.
    void add(const QByteArray &key, base::MonotonicTime notBefore, base::MonotonicTime notAfter);
    /// Returns whether the lock has ended after this time.
    [[nodiscard]] bool hasEndedSince(const QByteArray &key, base::MonotonicTime time) const;
    /// Makes the event the start of a hold, after the last end of the lock. Returns false if the event belongs to the
    /// ended hold. `unread`: time for which the primary may not have been able to read the key.
    bool makeStart(events::KeyEvent &event, std::chrono::nanoseconds unread) const;

private:
    QHash<QByteArray, std::pair<base::MonotonicTime, base::MonotonicTime>> m_ended;
};

} // namespace latchkey::cli

#pragma once

#include "core/foundation/base/clock.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QByteArray>

#include <chrono>
#include <vector>

namespace latchkey::cli {

/// An even sample of the keys that a scan has found, with their expiries. Its size is limited for any number of keys:
/// when it is full, every other key is dropped, and from then on only every second key is taken, and so on.
///
/// Read again at the end of the scan, it shows whether the found keys still exist. Pure. Owned by a NodeScan.
class ScanSample final
{
public:
    /// Adds a key with the reply to its PTTL. Replies other than a time left, or -1 for none, are ignored.
    void add(const QByteArray &key, const resp::Reply &left, base::MonotonicTime answered);
    void clear();

    /// The result of reading the keys again.
    struct Check
    {
        qint64 checked = 0; ///< Number of keys for which the server answered.
        qint64 gone = 0;    ///< Number of those that no longer existed.
    };
    /// Returns a PTTL for each key that has not expired at that time.
    [[nodiscard]] resp::Commands requests(base::MonotonicTime now) const;
    /// Counts the replies to requests(). Replies without information, such as refusals, do not count.
    [[nodiscard]] static Check check(const std::vector<resp::Reply> &replies);

private:
    struct Entry
    {
        QByteArray key;
        base::MonotonicTime endsAt; ///< max(): without an expiry.
    };
    std::vector<Entry> m_entries;
    quint64 m_stride = 1; ///< Every key at a multiple of this number is taken.
    quint64 m_seen = 0;
};

} // namespace latchkey::cli

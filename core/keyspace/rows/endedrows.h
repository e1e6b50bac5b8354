#pragma once

#include "core/keyspace/keys/endedkeylog.h"
#include "core/keyspace/rows/rowlist.h"

#include <QObject>

#include <deque>
#include <optional>
#include <vector>

namespace latchkey::rows {

/// A record of the rows whose keys have ended most recently, so that a user can see the release of a lock.
///
/// The record listens only to the rows. The key of a removed row has ended if it is not live; a row that only a
/// filter removes is not recorded. Only the last `maxRows` keys are kept. Owned by the page that shows them. The rows
/// are not owned, and outlive it.
class EndedRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EndedRows)

public:
    static constexpr std::size_t maxRows = 50;

    explicit EndedRows(const RowList &rows, QObject *parent = nullptr);

    /// Notes a flush: its event was received at `received`, and the database was seen empty at `seen`. A key that was
    /// removed between the two times and before its deadline counts as flushed.
    void flushed(base::MonotonicTime received, base::MonotonicTime seen);

    /// Returns the keys that have ended since `time` and do not exist again, the latest first.
    [[nodiscard]] std::vector<keys::EndedKey> since(base::MonotonicTime time) const;

private:
    void recordRemoved(int first, int last);
    [[nodiscard]] bool wasFlushed(const keys::EndedKey &ended) const;

    const RowList &m_rows;                  // Not owned.
    std::deque<keys::EndedKey> m_endedRows; ///< The latest first, each key once.
    /// The last flush.
    struct Flush
    {
        base::MonotonicTime received;
        base::MonotonicTime seen;
    };
    std::optional<Flush> m_flush;
};

} // namespace latchkey::rows

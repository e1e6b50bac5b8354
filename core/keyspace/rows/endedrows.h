#pragma once

#include "core/keyspace/rows/rowlist.h"

#include <QObject>

#include <deque>
#include <optional>
#include <vector>

namespace latchkey::rows {

/// A key that was a row and has gone.
struct EndedRow
{
    QByteArray key;
    keys::KeyState state = keys::KeyState::Removed; ///< How it ended; never Live.
    base::MonotonicTime since;                      ///< Time at which the key was found gone.
    bool isInferred = false; ///< True if inferred from a scan that did not return the key; false if reported by the
                             ///< server.
    bool isFlushed = false;  ///< True if a flush has removed the key.
    /// Last time at which the key was known to exist, if it ended while the server was not seen.
    std::optional<base::MonotonicTime> unseenSince {};
};

/// A record of the most recently gone keys that were rows, so that a user can see the release of a lock.
///
/// The record listens only to the rows. A removed row has gone if its key is not live; a row that a filter removes has
/// not. Only the last `most` keys are kept. Owned by the page that shows them. The rows are not owned, and outlive it.
class EndedRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EndedRows)

public:
    static constexpr std::size_t most = 50;

    explicit EndedRows(const RowList &rows, QObject *parent = nullptr);

    /// Notes a flush: its event was received at `received`, and the database was seen empty at `seen`. A key that was
    /// removed between the two times and before its deadline counts as flushed.
    void flushed(base::MonotonicTime received, base::MonotonicTime seen);

    /// Returns the keys that have gone since `time` and have not come back, the latest first.
    [[nodiscard]] std::vector<EndedRow> since(base::MonotonicTime time) const;

private:
    void recordRemoved(int first, int last);
    [[nodiscard]] bool wasFlushed(const EndedRow &ended) const;

    const RowList &m_rows;            // Not owned.
    std::deque<EndedRow> m_endedRows; ///< The latest first, each key once.
    /// The last flush.
    struct Flush
    {
        base::MonotonicTime received;
        base::MonotonicTime seen;
    };
    std::optional<Flush> m_flush;
};

} // namespace latchkey::rows

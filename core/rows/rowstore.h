#pragma once

#include "core/rows/orderbuilder.h"
#include "core/rows/rowedits.h"

#include <QObject>
#include <QSet>

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

namespace latchkey::rows {

/// What is known of the keys of a server, as rows in an order and under a filter.
///
/// Whoever watches the server says what was seen (observe…); it shows at the next commit(), which announces the row
/// edits: few where little has changed, one rearrangement where much has. Nothing changes because time passes: how long
/// a key has left is derived from its deadline by whoever paints it. A key that has gone stays for a moment as a row
/// that says so, because a lock's release is what people look for. Large work (sorting a million rows) is done in
/// slices: commit() says whether more is waiting. Owned by the page or command that shows leases. It does not know the
/// server; the clock is not owned.
class RowStore final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RowStore)

public:
    explicit RowStore(const base::Clock &clock, QObject *parent = nullptr);
    ~RowStore() override;

    // What was seen. Between commits these change no row.

    /// The key will be observed next but few. Changes nothing: of a million keys, finding one is mostly waiting for
    /// memory, and this begins to wait before anybody has to.
    void expect(QByteArrayView key) const { m_table.prefetch(key); }
    /// The key exists and ends then; sampled: when the server said so.
    keys::KeyId observe(QByteArrayView key, const base::Deadline &deadline, base::MonotonicTime sampled);
    /// The key does not exist; of no meaning for a key that was never seen.
    void observeGone(QByteArrayView key, base::MonotonicTime sampled);
    void observeType(QByteArrayView key, keys::KeyType type);
    void observeValue(QByteArrayView key, keys::ValuePreview value);
    /// Marks a key that a scan has met (see keys::KeyTable::mark); false where the key is not known.
    bool mark(QByteArrayView key, quint8 mark);
    void mark(keys::KeyId id, quint8 mark) { m_table.setMark(id, mark); }
    /// Forgets everything at once, rows included.
    void clear();

    /// Shows what was seen since, working for about the budget. True if more is waiting: call again soon.
    bool commit(std::chrono::microseconds budget = std::chrono::milliseconds(3));

    // What is shown, and how. Both take effect over the next commits; the old rows stay until then.

    void setSortOrder(SortOrder order);
    void setFilter(const RowFilter &filter);
    [[nodiscard]] const SortOrder &sortOrder() const { return m_order; }
    [[nodiscard]] const RowFilter &filter() const { return m_filter; }
    /// Whether an order that was asked for is still being made.
    [[nodiscard]] bool isSorting() const { return m_builder != nullptr || m_needsRebuild; }

    /// For how long a key that has gone stays among the rows, if few of these go meanwhile; 2 s unless set.
    void setLinger(std::chrono::milliseconds linger) { m_linger = linger; }

    // The rows.

    [[nodiscard]] int rowCount() const { return m_rows.size(); }
    [[nodiscard]] keys::KeyId idAt(int row) const { return m_rows.idAt(row); }
    [[nodiscard]] keys::KeyRecord leaseAt(int row) const { return m_table.lease(idAt(row)); }
    /// -1 where the lease is not among the rows.
    [[nodiscard]] int rowOf(keys::KeyId id) const;
    /// Nothing until somebody has read it.
    [[nodiscard]] const keys::ValuePreview *value(keys::KeyId id) const;
    [[nodiscard]] const keys::KeyTable &table() const { return m_table; }

    /// Keys that exist as far as is known, shown or not; and of these, those without an expiry.
    [[nodiscard]] qsizetype liveCount() const { return m_live; }
    [[nodiscard]] qsizetype persistentCount() const { return m_persistent; }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_table.bytesAllocated() + m_rows.bytesAllocated(); }

Q_SIGNALS:
    // Around each change, as QAbstractItemModel's begin… and end… want it. Rows are numbered as they are before the
    // change. Between two of the pairs everything can be asked.
    void rowsAboutToBeInserted(int first, int last);
    void rowsInserted();
    void rowsAboutToBeRemoved(int first, int last);
    void rowsRemoved();
    /// The same rows in another order: remember ids, and ask rowOf() when it is over.
    void rowsAboutToBeReordered();
    void rowsReordered();
    void rowsChanged(int first, int last);

private:
    /// Something seen of a key that is among the rows, kept until the rows may change.
    struct Change
    {
        enum class What : quint8 { Deadline, Gone, Type, Value };
        keys::KeyId id;
        What what = What::Deadline;
        keys::KeyType type = keys::KeyType::Unknown;
        base::Deadline deadline;
        base::MonotonicTime sampled;
        keys::ValuePreview value;
    };
    struct Lingering
    {
        keys::KeyId id;
        base::MonotonicTime since;
    };

    [[nodiscard]] RowComparer comparer() const { return {m_table, m_values, m_shownOrder}; }
    [[nodiscard]] bool isShown(keys::KeyId id) const { return m_shownFilter.matches(m_table, id); }
    void stage(Change change);
    void apply(const Change &change);
    void applyDeadline(keys::KeyId id, const base::Deadline &deadline, base::MonotonicTime sampled);
    void applyGone(keys::KeyId id, base::MonotonicTime sampled);
    void count(keys::KeyId id, int sign);
    void forget(keys::KeyId id);

    void applyChanges();
    [[nodiscard]] bool isStillGone(const Lingering &gone) const;
    [[nodiscard]] std::size_t mayLinger() const;
    void removeLingering();
    void insertIncoming();
    void insertInPlace(std::vector<RowOrder::Entry> entries);
    void appendToTail(std::span<const RowOrder::Entry> entries);
    void mergeTailIfDue(bool streamHasPaused);
    void adopt(OrderBuilder &builder);
    void removeRows(std::span<const int> rows);
    void removeLast(int count);

    const base::Clock &m_clock; // Not owned.
    keys::KeyTable m_table;
    ValuePreviews m_values;
    RowOrder m_rows;
    SortOrder m_shownOrder;
    RowFilter m_shownFilter;
    SortOrder m_order;  ///< As asked for; differs from what is shown until a rebuild has made it so.
    RowFilter m_filter; ///< Likewise.
    bool m_needsRebuild = false;
    std::unique_ptr<OrderBuilder> m_builder;
    std::vector<Change> m_changes;
    QSet<keys::KeyId> m_hasChanges; ///< The ids in m_changes.
    std::vector<keys::KeyId> m_incoming;
    std::deque<Lingering> m_lingering;
    std::chrono::milliseconds m_linger;
    qsizetype m_live = 0;
    qsizetype m_persistent = 0;
};

} // namespace latchkey::rows

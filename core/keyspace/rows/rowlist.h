#pragma once

#include "core/keyspace/keys/keystore.h"
#include "core/keyspace/rows/orderbuilder.h"
#include "core/keyspace/rows/rowedits.h"

#include <QObject>

#include <chrono>
#include <memory>
#include <vector>

namespace latchkey::rows {

class RowGroups;

/// The keys of a store as rows, in an order and under a filter.
///
/// Every change of the store becomes row edits: few edits for a small change, one rearrangement for a large one. Any
/// number of lists share one store, each with its own order. Large work, such as sorting a million rows, is done in
/// slices within the store's commits. Owned by the page or command that shows the rows; the store is not owned and must
/// outlive it. It does not know the server.
class RowList final : public QObject, private keys::KeyStoreObserver
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RowList)

public:
    explicit RowList(keys::KeyStore &store, QObject *parent = nullptr);
    ~RowList() override;

    /// Removes the rows of keys that were due before the time `before`. Of the keys that are due now, all but the
    /// latest `maximum` are removed. A row returns when its key gets a later expiry, or when another order or filter
    /// takes effect. Otherwise due keys would fill the table when more keys end than can be queried. Works only in
    /// ascending order of time left, where due rows are at the front. `groups`: the groups of these rows if they are
    /// grouped, otherwise null. In each group the first rows are removed; then `maximum` has no effect.
    void removeDueRows(base::MonotonicTime before, base::MonotonicTime now, int maximum,
                       const RowGroups *groups = nullptr);

    /// Suspends or resumes row changes, for a pressed mouse button. While suspended, the store commits nothing. Only a
    /// store that is cleared removes its rows.
    void setSuspended(bool isSuspended) { m_isSuspended = isSuspended; }

    // The requested order and filter. Both take effect over the next commits; the old rows stay until then.

    void setSortOrder(SortOrder order);
    void setFilter(const RowFilter &filter);
    [[nodiscard]] const SortOrder &sortOrder() const { return m_order; }
    /// Returns the order of the current rows. It differs from sortOrder() while a requested order is being built.
    [[nodiscard]] const SortOrder &shownOrder() const { return m_shownOrder; }
    [[nodiscard]] const RowFilter &filter() const { return m_filter; }
    /// Returns whether a requested order is still being built.
    [[nodiscard]] bool isSorting() const { return m_builder != nullptr || m_needsRebuild; }

    // The rows.

    [[nodiscard]] int rowCount() const { return m_rows.size(); }
    /// Returns how many rows are in order. The newest rows may follow unsorted for a moment.
    [[nodiscard]] int sortedCount() const { return m_rows.sortedSize(); }
    /// Returns the maximum number of rows that may be out of order after a reordering. Valid while
    /// rowsAboutToBeReordered() is emitted.
    [[nodiscard]] int maxBehind() const { return m_maxBehind; }
    [[nodiscard]] keys::KeyId idAt(int row) const { return m_rows.idAt(row); }
    [[nodiscard]] keys::KeyRecord recordAt(int row) const { return known().table.at(idAt(row)); }
    /// Returns the row of a key; -1 if it is not among the rows.
    [[nodiscard]] int rowOf(keys::KeyId id) const;

    [[nodiscard]] const keys::KeyStore &store() const { return m_store; }
    [[nodiscard]] const keys::KnownKeys &known() const { return m_store.known(); }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_rows.bytesAllocated(); }

Q_SIGNALS:
    // Emitted around each change, as required by begin… and end… of QAbstractItemModel. Row numbers are those before
    // the change. Between two pairs of signals all functions may be called.
    void rowsAboutToBeInserted(int first, int last);
    void rowsInserted();
    void rowsAboutToBeRemoved(int first, int last);
    void rowsRemoved();
    /// Emitted before the same rows get another order. Remember IDs, and call rowOf() afterwards.
    void rowsAboutToBeReordered();
    void rowsReordered();
    void rowsChanged(int first, int last);

private:
    /// A key that is about to change, with its row.
    struct ChangingRow
    {
        keys::KeyId id;
        int row = -1;
    };

    [[nodiscard]] bool isBusy() const override { return isSorting(); }
    [[nodiscard]] bool isSuspended() const override { return m_isSuspended; }
    void work(QDeadlineTimer deadline) override;
    void aboutToChange(std::span<const keys::KeyId> ids) override;
    void changed(std::span<const keys::KeyId> added) override;
    void aboutToClear() override;

    [[nodiscard]] RowComparer comparer() const { return {known(), m_shownOrder}; }
    [[nodiscard]] bool isShown(keys::KeyId id) const
    {
        return known().table.deadline(id).at() >= m_retiredBefore && m_shownFilter.matches(known(), id);
    }
    void moveAffected();
    void insertRows(std::vector<keys::KeyId> ids);
    void insertInPlace(std::vector<RowOrder::Entry> entries);
    void appendToTail(std::span<const RowOrder::Entry> entries);
    void mergeTailIfDue(bool streamHasPaused);
    void adopt(OrderBuilder &builder);
    void removeRows(std::span<const int> rows);
    void removeLast(int count);

    keys::KeyStore &m_store; // Not owned.
    RowOrder m_rows;
    SortOrder m_shownOrder;
    RowFilter m_shownFilter;
    SortOrder m_order;  ///< Requested order; differs from the shown order until a rebuild.
    RowFilter m_filter; ///< Requested filter.
    bool m_needsRebuild = true;
    bool m_isSuspended = false;
    int m_maxBehind = 0;
    base::MonotonicTime m_retiredBefore; ///< Keys that ended before this time are not rows.
    std::unique_ptr<OrderBuilder> m_builder;
    std::vector<ChangingRow> m_affected;
    std::vector<keys::KeyId> m_appearing; ///< Known keys that now pass the filter.
};

} // namespace latchkey::rows

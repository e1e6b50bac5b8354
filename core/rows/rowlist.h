#pragma once

#include "core/keys/keystore.h"
#include "core/rows/orderbuilder.h"
#include "core/rows/rowedits.h"

#include <QObject>

#include <chrono>
#include <memory>
#include <vector>

namespace latchkey::rows {

class RowGroups;

/// The keys of a store as rows in an order and under a filter.
///
/// Every change of the store becomes row edits: few where little has changed, one rearrangement where much has. Any
/// number of lists look at one store, each in its own order. Large work (sorting a million rows) is done in slices,
/// within the store's commits.
/// Owned by the page or command that shows the rows; the store is not owned and must outlive it. It does not know the
/// server.
class RowList final : public QObject, private keys::KeyView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RowList)

public:
    explicit RowList(keys::KeyStore &store, QObject *parent = nullptr);
    ~RowList() override;

    /// Takes away the rows of keys whose time was over before this moment, and of those whose time is over now all but
    /// the latest so many, until something new is seen of them: where more ends than can be asked about, they would
    /// fill the screen. Only in the order of time left, where they are together at an end. groups: of these rows, where
    /// they are in groups, else null; in each of them the first ones go, and none is kept of those before the moment.
    void retireDue(base::MonotonicTime before, base::MonotonicTime now, int most, const RowGroups *groups = nullptr);

    // What is shown, and how. Both take effect over the next commits; the old rows stay until then.

    void setSortOrder(SortOrder order);
    void setFilter(const RowFilter &filter);
    [[nodiscard]] const SortOrder &sortOrder() const { return m_order; }
    /// The order that the rows are in, while the one that was asked for is being made.
    [[nodiscard]] const SortOrder &shownOrder() const { return m_shownOrder; }
    [[nodiscard]] const RowFilter &filter() const { return m_filter; }
    /// Whether an order that was asked for is still being made.
    [[nodiscard]] bool isSorting() const { return m_builder != nullptr || m_needsRebuild; }

    // The rows.

    [[nodiscard]] int rowCount() const { return m_rows.size(); }
    /// How many of them are in their order: those that have come last are behind all others for a moment.
    [[nodiscard]] int sortedCount() const { return m_rows.sortedSize(); }
    /// While rowsAboutToBeReordered() is announced: how many may be behind them afterwards.
    [[nodiscard]] int mostBehind() const { return m_mostBehind; }
    [[nodiscard]] keys::KeyId idAt(int row) const { return m_rows.idAt(row); }
    [[nodiscard]] keys::KeyRecord recordAt(int row) const { return known().table.at(idAt(row)); }
    /// -1 where the key is not among the rows.
    [[nodiscard]] int rowOf(keys::KeyId id) const;

    [[nodiscard]] const keys::KeyStore &store() const { return m_store; }
    [[nodiscard]] const keys::KnownKeys &known() const { return m_store.known(); }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_rows.bytesAllocated(); }

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
    /// A key that is about to change, and where it stands.
    struct Affected
    {
        keys::KeyId id;
        int row = -1;
    };

    [[nodiscard]] bool isBusy() const override { return isSorting(); }
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
    SortOrder m_order;  ///< As asked for; differs from what is shown until a rebuild has made it so.
    RowFilter m_filter; ///< Likewise.
    bool m_needsRebuild = true;
    int m_mostBehind = 0;
    base::MonotonicTime m_retiredBefore; ///< What ended before then is not a row.
    std::unique_ptr<OrderBuilder> m_builder;
    std::vector<Affected> m_affected;
    std::vector<keys::KeyId> m_appearing; ///< Known before, and let through by the filter from now on.
};

} // namespace latchkey::rows

#pragma once

#include "core/keyspace/rows/rowfilter.h"
#include "core/keyspace/rows/roworder.h"

#include <QDeadlineTimer>

#include <span>

namespace latchkey::rows {

/// A builder of a new order of the rows. It works in slices, so that sorting a million keys never blocks the window.
///
/// The builder runs a merge sort that can stop after every few hundred entries. It sorts short runs, then merges
/// neighbours until one run is left. While it works, the known keys must not change, and the shown rows stay unchanged.
/// Owned by the RowList, which owns the rows; the known keys are not owned.
class OrderBuilder final
{
public:
    /// Builds from all known keys that pass the filter and are not pending.
    OrderBuilder(const keys::KnownKeys &known, const RowComparer &comparer, RowFilter filter);
    /// Builds from existing rows: merges their tail into their sorted part.
    OrderBuilder(const keys::KnownKeys &known, const RowComparer &comparer, const RowOrder &rows);

    /// Works until the deadline. Returns true when the order is complete.
    [[nodiscard]] bool step(QDeadlineTimer deadline);
    [[nodiscard]] RowOrder::Entries take() { return std::move(m_entries); }

    [[nodiscard]] const RowComparer &comparer() const { return m_comparer; }
    [[nodiscard]] const RowFilter &filter() const { return m_filter; }
    /// Returns whether the result has the same rows as before, only in another order.
    [[nodiscard]] bool keepsSameRows() const { return m_rows != nullptr; }

private:
    enum class Phase : quint8 { Collect, SortRuns, Merge, Done };

    using Run = std::span<const RowOrder::Entry>;

    void collect();
    void sortRun();
    void beginPass();
    void beginPair();
    void mergeSome();

    const keys::KnownKeys &m_known;         // Not owned.
    const RowOrder *const m_rows = nullptr; ///< Rows with a tail to merge; null for a new set. Not owned.
    const RowComparer m_comparer;
    const RowFilter m_filter;
    Phase m_phase = Phase::Collect;
    quint32 m_nextId = 0; ///< Used by Collect.
    RowOrder::Entries m_entries;
    RowOrder::Entries m_merged;      ///< Output of the merge pass so far.
    std::vector<std::size_t> m_ends; ///< Ends of the sorted runs.
    std::vector<std::size_t> m_newEnds;
    std::size_t m_sortedUpTo = 0; ///< Used by SortRuns.
    std::size_t m_run = 0;        ///< Used by Merge: the left run of the next pair.
    Run m_left;                   ///< Used by Merge: the rest of the pair.
    Run m_right;
    bool m_isLastPass = false; ///< Whether this pass merges the sorted rows and their sorted tail.
};

} // namespace latchkey::rows

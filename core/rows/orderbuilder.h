#pragma once

#include "core/rows/rowfilter.h"
#include "core/rows/roworder.h"

#include <QDeadlineTimer>

#include <span>

namespace latchkey::rows {

/// Builds a new order of the rows a slice at a time, so that sorting a million keys never holds the window up.
///
/// A merge sort that can stop after any few hundred entries: short runs first, then neighbours merged until one run is
/// left. While it works nothing that is known may change and the rows shown stay what they are.
/// Owned by the RowList, which owns the rows; what is known is not owned.
class OrderBuilder final
{
public:
    /// From every known key that passes the filter and is not pending.
    OrderBuilder(const keys::KnownKeys &known, const RowComparer &comparer, RowFilter filter);
    /// From rows whose tail is to be merged into their sorted part.
    OrderBuilder(const keys::KnownKeys &known, const RowComparer &comparer, const RowOrder &rows);

    /// Works until the deadline; true once the order is complete.
    [[nodiscard]] bool step(QDeadlineTimer deadline);
    [[nodiscard]] RowOrder::Entries take() { return std::move(m_entries); }

    [[nodiscard]] const RowComparer &comparer() const { return m_comparer; }
    [[nodiscard]] const RowFilter &filter() const { return m_filter; }
    /// Whether the set of rows is the one it started from, only in another order.
    [[nodiscard]] bool keepsTheSet() const { return m_rows != nullptr; }

private:
    enum class Phase : quint8 { Collect, SortRuns, Merge, Done };

    using Run = std::span<const RowOrder::Entry>;

    void collect();
    void sortRun();
    void beginPass();
    void beginPair();
    void mergeSome();

    const keys::KnownKeys &m_known;         // Not owned.
    const RowOrder *const m_rows = nullptr; ///< Whose tail is to be merged; null for a new set. Not owned.
    const RowComparer m_comparer;
    const RowFilter m_filter;
    Phase m_phase = Phase::Collect;
    quint32 m_nextId = 0; ///< Of Collect.
    RowOrder::Entries m_entries;
    RowOrder::Entries m_merged;      ///< What a merge pass has written so far.
    std::vector<std::size_t> m_ends; ///< Where the sorted runs end.
    std::vector<std::size_t> m_newEnds;
    std::size_t m_sortedUpTo = 0; ///< Of SortRuns.
    std::size_t m_run = 0;        ///< Of Merge: the next pair's left one.
    Run m_left;                   ///< Of Merge: what is left of the pair.
    Run m_right;
    bool m_isLastPass = false; ///< The one that brings the sorted rows and their sorted tail together.
};

} // namespace latchkey::rows

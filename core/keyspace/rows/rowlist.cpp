#include "core/keyspace/rows/rowlist.h"

#include "core/keyspace/rows/rowgroups.h"

#include <algorithm>
#include <ranges>

namespace latchkey::rows {

using keys::KeyId;
using keys::KeyState;
using keys::KeyStore;
using keys::KnownKeys;

namespace {

/// More edits than this are announced as one rearrangement, which is then faster for a view.
constexpr std::size_t maxSingleEdits = 16;

/// Maximum number of entries that single insertions may move in one commit. Above it one merge is faster.
constexpr std::size_t maxMovedEntries = 2'000'000;

/// A tail up to this length is merged at once; a longer one in slices.
constexpr int maxMergedAtOnce = 4096;

/// While keys stream in, the tail is merged when it reaches this fraction (1/2) of the sorted rows.
constexpr int tailShare = 2;

} // namespace

RowList::RowList(KeyStore &store, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_needsRebuild(store.known().table.size() > 0)
{
    m_store.addObserver(*this);
}

RowList::~RowList()
{
    m_store.removeObserver(*this);
}

void RowList::setSortOrder(SortOrder order)
{
    m_order = order;
    m_needsRebuild = true;
}

void RowList::setFilter(const RowFilter &filter)
{
    m_filter = filter;
    m_needsRebuild = true;
}

int RowList::rowOf(KeyId id) const
{
    const keys::KeyTable &table = known().table;
    return id.value < table.idLimit() && table.isUsed(id) ? m_rows.find(id, comparer()) : -1;
}

void RowList::work(QDeadlineTimer deadline)
{
    if (m_needsRebuild) {
        m_needsRebuild = false;
        m_builder = std::make_unique<OrderBuilder>(known(), RowComparer(known(), m_order), m_filter);
    }
    if (m_builder && m_builder->step(deadline)) {
        const std::unique_ptr<OrderBuilder> builder = std::move(m_builder);
        adopt(*builder);
    }
}

void RowList::aboutToChange(std::span<const KeyId> ids)
{
    const RowComparer byOldValues = comparer();
    m_affected.clear();
    m_affected.reserve(ids.size());
    for (const KeyId id : ids)
        m_affected.push_back({id, isShown(id) ? m_rows.find(id, byOldValues) : -1});
}

void RowList::changed(std::span<const KeyId> added)
{
    m_appearing.assign(added.begin(), added.end());
    const bool streamHasPaused = added.empty();
    moveAffected();
    insertRows(std::exchange(m_appearing, {}));
    mergeTailIfDue(streamHasPaused);
}

void RowList::aboutToClear()
{
    m_builder.reset();
    m_affected.clear();
    if (m_rows.size() > 0) {
        Q_EMIT rowsAboutToBeRemoved(0, m_rows.size() - 1);
        m_rows.clear();
        Q_EMIT rowsRemoved();
    }
    m_retiredBefore = {};
    m_needsRebuild = m_order != m_shownOrder || m_filter != m_shownFilter;
}

void RowList::moveAffected()
{
    if (m_affected.empty())
        return;
    std::vector<ChangingRow> affected = std::exchange(m_affected, {});
    std::ranges::sort(affected, {}, &ChangingRow::row);

    std::vector<int> removed;
    std::vector<int> changed;
    std::vector<int> displaced; ///< Moved or removed rows.
    std::vector<RowOrder::Entry> tail;
    std::vector<RowOrder::Entry> removedEntries;
    const RowComparer byNewValues = comparer();
    for (const auto &[id, row] : affected) {
        const bool belongs = known().table.state(id) == KeyState::Live && isShown(id);
        if (row < 0) {
            if (belongs)
                m_appearing.push_back(id);
            continue;
        }
        const RowOrder::Entry old = m_rows.at(row);
        if (!belongs) {
            removed.push_back(row);
            displaced.push_back(row);
            removedEntries.push_back(old);
            continue;
        }
        changed.push_back(row);
        const Rank rank = byNewValues.rank(id);
        if (rank != old.rank() || m_shownOrder.source->compare != nullptr || m_shownOrder.isGrouped()) {
            displaced.push_back(row);
            tail.emplace_back(rank, id);
        }
    }

    for (const RowRange &range : rangesOf(changed))
        Q_EMIT rowsChanged(range.first, range.last());
    if (tail.empty()) {
        removeRows(removed);
        return;
    }
    // Moves and removals are one rearrangement: until a row has moved, it cannot be found by its new value.
    const int removals = static_cast<int>(removed.size());
    tail.insert(tail.end(), removedEntries.begin(), removedEntries.end());
    m_maxBehind = static_cast<int>(tail.size());
    Q_EMIT rowsAboutToBeReordered();
    m_maxBehind = 0;
    m_rows.moveToTail(displaced, tail);
    if (m_rows.tailSize() - removals <= maxMergedAtOnce)
        m_rows.mergeTail(byNewValues, removals);
    Q_EMIT rowsReordered();
    removeLast(removals);
}

void RowList::removeLast(int count)
{
    if (count == 0)
        return;
    Q_EMIT rowsAboutToBeRemoved(m_rows.size() - count, m_rows.size() - 1);
    m_rows.truncate(m_rows.size() - count);
    Q_EMIT rowsRemoved();
}

void RowList::removeRows(std::span<const int> rows)
{
    const std::vector<RowRange> ranges = rangesOf(rows);
    if (ranges.size() > maxSingleEdits) {
        // First moved to the end, then removed as one range.
        RowOrder::Entries entries;
        for (const int row : rows)
            entries.push_back(m_rows.at(row));
        m_maxBehind = static_cast<int>(rows.size());
        Q_EMIT rowsAboutToBeReordered();
        m_maxBehind = 0;
        m_rows.moveToTail(rows, entries);
        Q_EMIT rowsReordered();
        removeLast(static_cast<int>(rows.size()));
        return;
    }
    for (const RowRange &range : ranges | std::views::reverse) {
        Q_EMIT rowsAboutToBeRemoved(range.first, range.last());
        m_rows.remove(range.first, range.count);
        Q_EMIT rowsRemoved();
    }
}

void RowList::removeDueRows(base::MonotonicTime before, base::MonotonicTime now, int maximum, const RowGroups *groups)
{
    const bool areInFront = m_shownOrder.source == &byTimeLeft && !m_shownOrder.isDescending;
    if (m_isSuspended || !areInFront || m_shownOrder.isGrouped() != (groups != nullptr) || isSorting()
        || m_rows.tailSize() > 0)
        return;
    const auto endOf = [this](int row) { return known().table.deadline(m_rows.idAt(row)).at(); };
    if (groups == nullptr) {
        int due = 0;
        while (due < m_rows.size() && endOf(due) < now)
            ++due;
        if (due > maximum)
            before = std::max(before, endOf(due - maximum - 1) + std::chrono::nanoseconds(1));
    }
    if (before <= m_retiredBefore)
        return;
    m_retiredBefore = before;
    // From the last to the first: a removal changes the later groups, not the earlier ones.
    std::vector<std::pair<int, int>> runs {{0, m_rows.size()}};
    if (groups != nullptr) {
        runs.clear();
        for (const RowGroups::Group &group : groups->groups())
            runs.emplace_back(group.first, group.count);
    }
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        int count = 0;
        while (count < run->second && endOf(run->first + count) < before)
            ++count;
        if (count == 0)
            continue;
        Q_EMIT rowsAboutToBeRemoved(run->first, run->first + count - 1);
        m_rows.remove(run->first, count);
        Q_EMIT rowsRemoved();
    }
}

void RowList::insertRows(std::vector<KeyId> ids)
{
    const RowComparer byValues = comparer();
    std::vector<RowOrder::Entry> entries;
    for (const KeyId id : ids) {
        if (isShown(id))
            entries.emplace_back(byValues.rank(id), id);
    }
    if (entries.empty())
        return;
    const bool isSmall = entries.size() * static_cast<std::size_t>(m_rows.size()) <= maxMovedEntries
                      && entries.size() <= static_cast<std::size_t>(maxMergedAtOnce);
    if (m_rows.tailSize() == 0 && isSmall)
        insertInPlace(std::move(entries));
    else
        appendToTail(entries);
}

void RowList::insertInPlace(std::vector<RowOrder::Entry> entries)
{
    const RowComparer byValues = comparer();
    std::ranges::sort(entries, [&](const RowOrder::Entry &a, const RowOrder::Entry &b) {
        return byValues.isLess(a.rank(), a.id(), b.rank(), b.id());
    });
    std::vector<int> before;
    before.reserve(entries.size());
    for (const RowOrder::Entry &entry : entries)
        before.push_back(m_rows.insertionRowFor(entry.id(), byValues));
    const std::vector<RowRange> ranges = insertionRanges(before);
    if (ranges.size() > maxSingleEdits) {
        appendToTail(entries);
        return;
    }
    auto entry = entries.begin();
    for (const RowRange &range : ranges) {
        Q_EMIT rowsAboutToBeInserted(range.first, range.last());
        for (int row = range.first; row <= range.last(); ++row)
            m_rows.insert(row, *entry++);
        Q_EMIT rowsInserted();
    }
}

void RowList::appendToTail(std::span<const RowOrder::Entry> entries)
{
    Q_EMIT rowsAboutToBeInserted(m_rows.size(), m_rows.size() + static_cast<int>(entries.size()) - 1);
    m_rows.append(entries);
    Q_EMIT rowsInserted();
}

void RowList::mergeTailIfDue(bool streamHasPaused)
{
    if (m_rows.tailSize() == 0)
        return;
    if (m_rows.tailSize() <= maxMergedAtOnce) {
        if (!streamHasPaused && m_rows.tailSize() * tailShare < m_rows.sortedSize())
            return; // More keys are coming, and the tail is short.
        Q_EMIT rowsAboutToBeReordered();
        m_rows.mergeTail(comparer());
        Q_EMIT rowsReordered();
    } else if (streamHasPaused || m_rows.tailSize() * tailShare >= m_rows.sortedSize()) {
        m_builder = std::make_unique<OrderBuilder>(known(), comparer(), m_rows);
    }
}

void RowList::adopt(OrderBuilder &builder)
{
    const SortOrder order = builder.comparer().order();
    if (builder.keepsSameRows()) {
        Q_EMIT rowsAboutToBeReordered();
        m_rows.replace(builder.take());
        Q_EMIT rowsReordered();
        return;
    }

    RowOrder::Entries entries = builder.take();
    std::vector<bool> isNew(known().table.idLimit());
    for (const RowOrder::Entry &entry : entries)
        isNew[entry.id().value] = true;
    std::vector<int> doomed;
    for (int row = 0; row < m_rows.size(); ++row) {
        const KeyId id = m_rows.idAt(row);
        if (isNew[id.value])
            isNew[id.value] = false; // Neither new nor doomed.
        else
            doomed.push_back(row);
    }
    removeRows(doomed);
    m_shownFilter = builder.filter();
    m_retiredBefore = {}; // The builder does not know the retired rows.

    std::vector<RowOrder::Entry> additions;
    for (const RowOrder::Entry &entry : entries) {
        if (isNew[entry.id().value])
            additions.push_back(entry);
    }
    if (!additions.empty())
        appendToTail(additions);

    Q_EMIT rowsAboutToBeReordered();
    m_shownOrder = order;
    m_rows.replace(std::move(entries));
    Q_EMIT rowsReordered();
}

} // namespace latchkey::rows

#include "core/rows/rowstore.h"

#include "core/base/avxstate.h"

#include <QSet>

#include <algorithm>
#include <ranges>

namespace latchkey::rows {

using base::Deadline;
using base::MonotonicTime;
using keys::KeyId;
using keys::KeyState;
using keys::KeyType;
using keys::ValuePreview;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// More edits than this are announced as one rearrangement: a view takes longer over each than over that.
constexpr std::size_t mostSingleEdits = 16;

/// Entries moved by single insertions in one commit; beyond it one merge is faster.
constexpr std::size_t mostEntriesMoved = 2'000'000;

/// A tail up to this length is merged at once; a longer one in slices.
constexpr int mostMergedAtOnce = 4096;

/// No more rows than these say how their keys went: where many go all the time, those that live are what people look
/// for.
constexpr int mostLingering = 8;

/// Of the keys that have gone, so many are looked at for rows; those that the filter hides are not rows.
constexpr std::size_t mostGoneLookedAt = 1000;

/// While keys stream in, the tail is merged when it has reached this part of the sorted rows.
constexpr int tailShare = 2;

milliseconds leftAt(const Deadline &deadline, MonotonicTime time)
{
    const auto left = deadline.remaining(time);
    return left ? std::max(std::chrono::round<milliseconds>(*left), 0ms) : 0ms;
}

} // namespace

RowStore::RowStore(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_table(clock.now())
    , m_linger(2s)
{}

RowStore::~RowStore() = default;

void RowStore::count(KeyId id, int sign)
{
    m_live += sign;
    if (m_table.deadline(id).isNever())
        m_persistent += sign;
}

KeyId RowStore::observe(QByteArrayView key, const Deadline &deadline, MonotonicTime sampled)
{
    const auto [id, isNew] = m_table.findOrInsert(key);
    if (isNew) {
        m_table.setPending(id, true);
        m_table.setDeadline(id, deadline);
        m_table.setSampled(id, sampled);
        m_table.setSpan(id, leftAt(deadline, sampled));
        count(id, +1);
        m_incoming.push_back(id);
        return id;
    }
    if (m_table.isPending(id)) {
        applyDeadline(id, deadline, sampled);
        return id;
    }
    const Deadline old = m_table.deadline(id);
    const bool isNews = m_hasChanges.contains(id) // The table does not show those yet.
                     || m_table.state(id) != KeyState::Live || !deadline.agreesWith(old)
                     || deadline.uncertainty() * 2 < old.uncertainty();
    if (isNews)
        stage({id, Change::What::Deadline, {}, deadline, sampled, {}});
    else
        m_table.setSampled(id, sampled);
    return id;
}

void RowStore::stage(Change change)
{
    m_hasChanges.insert(change.id);
    m_changes.push_back(std::move(change));
}

void RowStore::observeGone(QByteArrayView key, MonotonicTime sampled)
{
    const auto known = m_table.find(key);
    if (!known)
        return;
    if (m_table.isPending(*known))
        applyGone(*known, sampled);
    else
        stage({*known, Change::What::Gone, {}, Deadline::never(), sampled, {}});
}

void RowStore::observeType(QByteArrayView key, KeyType type)
{
    const auto known = m_table.find(key);
    if (!known || (m_table.type(*known) == type && !m_hasChanges.contains(*known)))
        return;
    stage({*known, Change::What::Type, type, Deadline::never(), {}, {}});
}

void RowStore::observeValue(QByteArrayView key, ValuePreview value)
{
    const auto known = m_table.find(key);
    if (!known)
        return;
    const ValuePreview *old = this->value(*known);
    if (old == nullptr || *old != value || m_hasChanges.contains(*known))
        stage({*known, Change::What::Value, {}, Deadline::never(), {}, std::move(value)});
}

bool RowStore::mark(QByteArrayView key, quint8 mark)
{
    const auto known = m_table.find(key);
    if (!known)
        return false;
    m_table.setMark(*known, mark);
    return true;
}

void RowStore::clear()
{
    m_builder.reset();
    m_changes.clear();
    m_hasChanges.clear();
    m_incoming.clear();
    m_lingering.clear();
    if (m_rows.size() > 0) {
        Q_EMIT rowsAboutToBeRemoved(0, m_rows.size() - 1);
        m_rows.clear();
        Q_EMIT rowsRemoved();
    }
    m_table.clear();
    m_values.clear();
    m_live = 0;
    m_persistent = 0;
    m_needsRebuild = m_order != m_shownOrder || m_filter != m_shownFilter;
}

void RowStore::setSortOrder(SortOrder order)
{
    m_order = order;
    m_needsRebuild = true;
}

void RowStore::setFilter(const RowFilter &filter)
{
    m_filter = filter;
    m_needsRebuild = true;
}

int RowStore::rowOf(KeyId id) const
{
    return m_table.isUsed(id) ? m_rows.find(id, comparer()) : -1;
}

const ValuePreview *RowStore::value(KeyId id) const
{
    const auto found = m_values.constFind(id);
    return found == m_values.cend() ? nullptr : &*found;
}

bool RowStore::commit(std::chrono::microseconds budget)
{
    base::leaveAvxState();
    if (m_needsRebuild) {
        m_needsRebuild = false;
        m_builder = std::make_unique<OrderBuilder>(m_table, RowComparer(m_table, m_values, m_order), m_filter);
    }
    if (m_builder) {
        if (!m_builder->step(QDeadlineTimer(budget, Qt::PreciseTimer)))
            return true;
        const std::unique_ptr<OrderBuilder> builder = std::move(m_builder);
        adopt(*builder);
    }
    applyChanges();
    removeLingering();
    const bool streamHasPaused = m_incoming.empty();
    insertIncoming();
    mergeTailIfDue(streamHasPaused);
    return m_builder != nullptr;
}

void RowStore::apply(const Change &change)
{
    switch (change.what) {
    case Change::What::Deadline:
        applyDeadline(change.id, change.deadline, change.sampled);
        break;
    case Change::What::Gone:
        applyGone(change.id, change.sampled);
        break;
    case Change::What::Type:
        m_table.setType(change.id, change.type);
        break;
    case Change::What::Value:
        m_values.insert(change.id, change.value);
        break;
    }
}

void RowStore::applyDeadline(KeyId id, const Deadline &deadline, MonotonicTime sampled)
{
    const Deadline old = m_table.deadline(id);
    const bool wasLive = m_table.state(id) == KeyState::Live;
    if (wasLive)
        count(id, -1);
    if (!wasLive || !deadline.agreesWith(old)) {
        // A renewal gives about the old length again; anything else begins a new one.
        const milliseconds left = leftAt(deadline, sampled);
        const milliseconds span = m_table.span(id);
        const bool isRenewal = wasLive && !old.isNever() && deadline.at() > old.at() && left * 4 >= span * 3;
        m_table.setSpan(id, isRenewal ? std::max(span, left) : left);
    }
    m_table.setDeadline(id, deadline);
    m_table.setSampled(id, sampled);
    m_table.setState(id, KeyState::Live);
    count(id, +1);
}

void RowStore::applyGone(KeyId id, MonotonicTime sampled)
{
    if (m_table.state(id) != KeyState::Live)
        return;
    count(id, -1);
    const auto left = m_table.deadline(id).remaining(sampled);
    const bool wasDue = left && *left <= m_table.deadline(id).uncertainty();
    m_table.setState(id, wasDue ? KeyState::Expired : KeyState::Removed);
    m_table.setSampled(id, sampled);
    m_lingering.push_back({id, m_table.sampled(id)});
}

void RowStore::applyChanges()
{
    if (m_changes.empty())
        return;
    const std::vector<Change> changes = std::exchange(m_changes, {});
    m_hasChanges.clear();
    const RowComparer byOldValues = comparer();

    // Where everything stands, before any value that decides it is touched.
    struct Affected
    {
        KeyId id;
        int row;
    };
    std::vector<Affected> affected;
    QSet<KeyId> seen;
    for (const Change &change : changes) {
        if (m_table.isPending(change.id) || seen.contains(change.id))
            continue;
        seen.insert(change.id);
        affected.push_back({change.id, isShown(change.id) ? m_rows.find(change.id, byOldValues) : -1});
    }
    for (const Change &change : changes)
        apply(change);
    std::ranges::sort(affected, [](const Affected &a, const Affected &b) { return a.row < b.row; });

    std::vector<int> removed;
    std::vector<int> changed;
    std::vector<int> displaced; ///< Moved or removed.
    std::vector<RowOrder::Entry> tail;
    std::vector<RowOrder::Entry> removedEntries;
    const RowComparer byNewValues = comparer();
    for (const auto &[id, row] : affected) {
        const bool belongs = isShown(id);
        if (row < 0) {
            if (belongs)
                m_incoming.push_back(id);
            continue;
        }
        const RowOrder::Entry old = m_rows.at(row);
        const Rank rank = byNewValues.rank(id);
        if (!belongs) {
            removed.push_back(row);
            displaced.push_back(row);
            removedEntries.push_back(old);
            continue;
        }
        changed.push_back(row);
        if (rank != old.rank() || m_shownOrder.column == SortColumn::Value) {
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
    // What moves and what goes is rearranged at once: until it has moved, a row cannot be found by its new value.
    const int removals = static_cast<int>(removed.size());
    tail.insert(tail.end(), removedEntries.begin(), removedEntries.end());
    Q_EMIT rowsAboutToBeReordered();
    m_rows.moveToTail(displaced, tail);
    if (m_rows.tailSize() - removals <= mostMergedAtOnce)
        m_rows.mergeTail(byNewValues, removals);
    Q_EMIT rowsReordered();
    removeLast(removals);
}

void RowStore::removeLast(int count)
{
    if (count == 0)
        return;
    Q_EMIT rowsAboutToBeRemoved(m_rows.size() - count, m_rows.size() - 1);
    m_rows.truncate(m_rows.size() - count);
    Q_EMIT rowsRemoved();
}

/// It may have come back since, and even gone again.
bool RowStore::isStillGone(const Lingering &gone) const
{
    return m_table.isUsed(gone.id) && !m_table.isPending(gone.id) && m_table.state(gone.id) != KeyState::Live
        && m_table.sampled(gone.id) == gone.since;
}

/// How many of those that went last may stay.
std::size_t RowStore::mayLinger() const
{
    std::size_t count = 0;
    int rows = 0;
    for (const Lingering &gone : m_lingering | std::views::reverse) {
        if (count == mostGoneLookedAt || (isStillGone(gone) && isShown(gone.id) && ++rows > mostLingering))
            break;
        ++count;
    }
    return count;
}

void RowStore::removeLingering()
{
    const MonotonicTime limit = m_clock.now() - m_linger;
    const std::size_t most = mayLinger();
    QSet<KeyId> ids;
    std::vector<int> rows;
    while (!m_lingering.empty() && (m_lingering.front().since <= limit || m_lingering.size() > most)) {
        const Lingering gone = m_lingering.front();
        const KeyId id = gone.id;
        m_lingering.pop_front();
        if (!isStillGone(gone) || ids.contains(id))
            continue; // Or gone, back and gone again within one moment.
        ids.insert(id);
        if (!isShown(id))
            continue;
        if (const int row = m_rows.find(id, comparer()); row >= 0)
            rows.push_back(row);
        else
            std::erase(m_incoming, id); // It was about to become a row.
    }
    std::ranges::sort(rows);
    removeRows(rows);
    for (const KeyId id : ids)
        forget(id);
}

void RowStore::forget(KeyId id)
{
    m_values.remove(id);
    m_table.erase(id);
}

void RowStore::removeRows(std::span<const int> rows)
{
    const std::vector<RowRange> ranges = rangesOf(rows);
    if (ranges.size() > mostSingleEdits) {
        // Behind all others first, and then away in one piece.
        RowOrder::Entries entries;
        for (const int row : rows)
            entries.push_back(m_rows.at(row));
        Q_EMIT rowsAboutToBeReordered();
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

void RowStore::insertIncoming()
{
    const RowComparer byValues = comparer();
    std::vector<RowOrder::Entry> entries;
    for (const KeyId id : std::exchange(m_incoming, {})) {
        m_table.setPending(id, false);
        if (m_table.state(id) != KeyState::Live)
            forget(id); // It has come and gone without having been shown.
        else if (isShown(id))
            entries.emplace_back(byValues.rank(id), id);
    }
    if (entries.empty())
        return;
    const bool isSmall = entries.size() * static_cast<std::size_t>(m_rows.size()) <= mostEntriesMoved
                      && entries.size() <= static_cast<std::size_t>(mostMergedAtOnce);
    if (m_rows.tailSize() == 0 && isSmall)
        insertInPlace(std::move(entries));
    else
        appendToTail(entries);
}

void RowStore::insertInPlace(std::vector<RowOrder::Entry> entries)
{
    const RowComparer byValues = comparer();
    std::ranges::sort(entries, [&](const RowOrder::Entry &a, const RowOrder::Entry &b) {
        return byValues.isLess(a.rank(), a.id(), b.rank(), b.id());
    });
    std::vector<int> before;
    before.reserve(entries.size());
    for (const RowOrder::Entry &entry : entries)
        before.push_back(m_rows.placeFor(entry.id(), byValues));
    const std::vector<RowRange> ranges = insertionRanges(before);
    if (ranges.size() > mostSingleEdits) {
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

void RowStore::appendToTail(std::span<const RowOrder::Entry> entries)
{
    Q_EMIT rowsAboutToBeInserted(m_rows.size(), m_rows.size() + static_cast<int>(entries.size()) - 1);
    m_rows.append(entries);
    Q_EMIT rowsInserted();
}

void RowStore::mergeTailIfDue(bool streamHasPaused)
{
    if (m_rows.tailSize() == 0)
        return;
    if (m_rows.tailSize() <= mostMergedAtOnce) {
        if (!streamHasPaused && m_rows.tailSize() * tailShare < m_rows.sortedSize())
            return; // More is coming, and this is little.
        Q_EMIT rowsAboutToBeReordered();
        m_rows.mergeTail(comparer());
        Q_EMIT rowsReordered();
    } else if (streamHasPaused || m_rows.tailSize() * tailShare >= m_rows.sortedSize()) {
        m_builder = std::make_unique<OrderBuilder>(m_table, comparer(), m_rows);
    }
}

void RowStore::adopt(OrderBuilder &builder)
{
    const SortOrder order = builder.comparer().order();
    if (builder.keepsTheSet()) {
        Q_EMIT rowsAboutToBeReordered();
        m_rows.replace(builder.take());
        Q_EMIT rowsReordered();
        return;
    }

    RowOrder::Entries entries = builder.take();
    std::vector<bool> isNew(m_table.idLimit());
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

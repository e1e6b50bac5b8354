#include "core/keyspace/rows/groupedrows.h"

#include <algorithm>
#include <limits>

namespace latchkey::rows {

using keys::KeyId;
using namespace std::chrono_literals;

namespace {

constexpr auto locksStay = 1s;

} // namespace

GroupedRows::GroupedRows(RowList &list)
    : m_list(list)
{
    m_grouping = m_list.shownOrder().grouping;
    if (m_list.shownOrder().isGrouped())
        m_groups = RowGroups::of(m_list, m_folded);
    m_recountTimer.setSingleShot(true);
    m_recountTimer.setInterval(locksStay);
    connect(&m_recountTimer, &QTimer::timeout, this, &GroupedRows::recountLocks);
    countLocks();
    connectList();
}

void GroupedRows::connectList()
{
    connect(&m_list, &RowList::rowsAboutToBeInserted, this, [this](int first, int last) {
        if (isPlain())
            Q_EMIT rowsAboutToBeInserted(first, last);
        else
            begin((m_groups ? 2 : 1) * (last - first + 1)); // Each new row may add a group.
    });
    connect(&m_list, &RowList::rowsInserted, this, [this] {
        if (m_isRearranging)
            finish();
        else
            Q_EMIT rowsInserted();
    });
    connect(&m_list, &RowList::rowsAboutToBeRemoved, this, [this](int first, int last) {
        if (isPlain()) {
            Q_EMIT rowsAboutToBeRemoved(first, last);
        } else {
            announceRemoval(first, last);
            begin(0);
        }
    });
    connect(&m_list, &RowList::rowsRemoved, this, [this] {
        if (m_isRearranging)
            finish();
        else
            Q_EMIT rowsRemoved();
    });
    connect(&m_list, &RowList::rowsAboutToBeReordered, this, [this] {
        if (isPlain() && !m_list.sortOrder().isGrouped())
            Q_EMIT rowsAboutToBeReordered();
        else
            begin(maxRowsOfOrder());
    });
    connect(&m_list, &RowList::rowsReordered, this, [this] {
        if (m_isRearranging)
            finish();
        else
            Q_EMIT rowsReordered();
    });
    connect(&m_list, &RowList::rowsChanged, this, &GroupedRows::announceChange);
}

/// Returns an upper limit for the additional rows that the coming order needs, without the rows of hidden fields.
int GroupedRows::maxRowsOfOrder() const
{
    const bool willBeGrouped = m_list.sortOrder().isGrouped();
    if (!m_groups && !willBeGrouped)
        return 0;
    if (m_groups && willBeGrouped && m_list.sortOrder().grouping == m_grouping)
        // Each unsorted row may add a group. A row that leaves the sorted part is shown, even if its group is folded.
        return m_list.rowCount() - m_list.sortedCount() + m_list.maxBehind();
    return m_list.rowCount() + static_cast<int>(RowGroups::maxGroups) - baseCount();
}

/// Inserts as many rows as may be needed before anything moves. Then the change is only a move.
void GroupedRows::begin(int maxNewRows)
{
    m_isRearranging = true;
    extend(std::max(maxNewRows, 0) + m_expanded.hiddenCount(m_list.known()));
    m_announced = rowCount();
    Q_EMIT rowsAboutToBeReordered();
}

void GroupedRows::extend(int rows)
{
    if (rows <= 0)
        return;
    Q_EMIT rowsAboutToBeInserted(rowCount(), rowCount() + rows - 1);
    m_blank += rows;
    Q_EMIT rowsInserted();
}

void GroupedRows::finish()
{
    m_isRearranging = false;
    std::optional<RowGroups> groups;
    if (m_list.shownOrder().isGrouped()) {
        // An existing grouping may slowly exceed the limit. A new grouping that exceeds the limit is not shown.
        const bool areSame = m_groups && m_grouping == m_list.shownOrder().grouping;
        groups =
            RowGroups::of(m_list, m_folded, areSame ? std::numeric_limits<std::size_t>::max() : RowGroups::maxGroups);
        if (!groups || groups->groups().size() > RowGroups::maxGroups)
            QMetaObject::invokeMethod(this, &GroupedRows::dropGrouping, Qt::QueuedConnection);
    }
    const bool wereThere = m_groups && m_grouping == m_list.shownOrder().grouping;
    m_groups = std::move(groups);
    m_grouping = m_list.shownOrder().grouping;
    placeOpened();
    if (!wereThere)
        countLocks();
    else if (!m_recountTimer.isActive())
        m_recountTimer.start();
    m_blank = m_announced - ownCount();
    Q_ASSERT(m_blank >= 0);
    Q_EMIT rowsReordered();
    if (m_blank > 0) {
        Q_EMIT rowsAboutToBeRemoved(ownCount(), ownCount() + m_blank - 1);
        m_blank = 0;
        Q_EMIT rowsRemoved();
    }
}

void GroupedRows::dropGrouping()
{
    SortOrder order = m_list.sortOrder();
    if (!order.isGrouped())
        return;
    order.grouping = Grouping::None;
    m_list.setSortOrder(order);
    Q_EMIT groupingDropped();
}

/// Announces the visible rows among these rows of the list, with the rows of their fields.
void GroupedRows::announceRemoval(int first, int last)
{
    if (!m_groups) {
        announceHiding(first, last);
        return;
    }
    for (const RowGroups::Group &group : m_groups->groups()) {
        const int from = std::max(first, group.first);
        const int to = std::min(last, group.first + group.count - 1);
        if (from <= to && !group.isCollapsed)
            announceHiding(m_groups->rowOf(from), m_groups->rowOf(to));
    }
    if (last >= m_list.sortedCount())
        announceHiding(m_groups->rowOf(std::max(first, m_list.sortedCount())), m_groups->rowOf(last));
}

void GroupedRows::announceHiding(int firstBase, int lastBase)
{
    Q_EMIT rowsAboutToBeHidden(m_expanded.rowOf(firstBase), m_expanded.rowOf(lastBase + 1) - 1);
}

void GroupedRows::announceChange(int first, int last)
{
    if (isPlain()) {
        Q_EMIT rowsChanged(first, last);
        return;
    }
    if (m_groups && !m_recountTimer.isActive())
        m_recountTimer.start();
    // A folded row is represented by the row of its group.
    const auto tableRowOf = [this](int listRow) {
        if (const int base = baseOf(listRow); base >= 0)
            return m_expanded.rowOf(base);
        const auto &groups = m_groups->groups();
        return m_expanded.rowOf((std::ranges::upper_bound(groups, listRow, {}, &RowGroups::Group::first) - 1)->row);
    };
    Q_EMIT rowsChanged(tableRowOf(first), tableRowOf(last));
    for (ExpandedKeys::Open &open : m_expanded.all()) {
        if (open.isShown() && open.listRow >= first && open.listRow <= last)
            refreshFields(open);
    }
}

/// Uses the known place of the key, because during a change the key cannot be found by its values. Therefore, a field
/// that moves is removed and inserted again, not rearranged.
void GroupedRows::refreshFields(ExpandedKeys::Open &open)
{
    const QList<FieldRow> next = ExpandedKeys::rowsOf(m_list.known(), open.id, open.fields);
    if (next == open.fields)
        return;
    const auto placeIn = [](const QList<FieldRow> &rows, const FieldRow &field) {
        const auto found =
            std::ranges::find_if(rows, [&field](const FieldRow &other) { return other.isSameField(field); });
        return found == rows.end() ? qsizetype(-1) : found - rows.begin();
    };
    qsizetype kept = std::numeric_limits<qsizetype>::max();
    for (qsizetype i = open.fields.size() - 1; i >= 0; --i) {
        const qsizetype place = placeIn(next, open.fields[i]);
        if (place >= 0 && place < kept) {
            kept = place;
            continue;
        }
        const int row = open.row + 1 + static_cast<int>(i);
        Q_EMIT rowsAboutToBeRemoved(row, row);
        open.fields.removeAt(i);
        m_expanded.countRows();
        Q_EMIT rowsRemoved();
    }
    for (qsizetype i = 0; i < next.size(); ++i) {
        if (i < open.fields.size() && open.fields[i].isSameField(next[i]))
            continue;
        const int row = open.row + 1 + static_cast<int>(i);
        Q_EMIT rowsAboutToBeInserted(row, row);
        open.fields.insert(i, next[i]);
        m_expanded.countRows();
        Q_EMIT rowsInserted();
    }
    open.fields = next;
    if (!next.isEmpty())
        Q_EMIT rowsChanged(open.row + 1, open.row + open.fieldCount());
}

void GroupedRows::placeOpened()
{
    if (m_expanded.isEmpty())
        return;
    m_expanded.updateRows(
        m_list.known(), [this](KeyId id) { return m_list.rowOf(id); }, [this](int listRow) { return baseOf(listRow); });
}

int GroupedRows::rowCount() const
{
    return ownCount() + m_blank;
}

GroupedRows::Item GroupedRows::itemAt(int row) const
{
    if (row >= ownCount())
        return {};
    const ExpandedKeys::RowContent content = m_expanded.at(row);
    if (content.open != nullptr)
        return {content.open->id, std::nullopt, content.open->fields[content.field]};
    if (!m_groups)
        return {m_list.idAt(content.base), std::nullopt, std::nullopt};
    if (const auto listRow = m_groups->listRowAt(content.base))
        return {m_list.idAt(*listRow), std::nullopt, std::nullopt};
    return {std::nullopt, m_groups->groupAt(content.base)->prefix, std::nullopt};
}

int GroupedRows::rowOf(KeyId id) const
{
    const int listRow = m_list.rowOf(id);
    return listRow < 0 ? -1 : m_expanded.rowOf(baseOf(listRow));
}

int GroupedRows::rowOf(const Item &item) const
{
    if (item.field) {
        const ExpandedKeys::Open *open = m_expanded.find(*item.id);
        if (open == nullptr || !open->isShown())
            return -1;
        const auto field = std::ranges::find_if(
            open->fields, [&item](const FieldRow &other) { return other.isSameField(*item.field); });
        return field == open->fields.end() ? -1 : open->row + 1 + static_cast<int>(field - open->fields.begin());
    }
    if (item.id)
        return rowOf(*item.id);
    const RowGroups::Group *group = item.group && m_groups ? m_groups->find(*item.group) : nullptr;
    return group == nullptr ? -1 : m_expanded.rowOf(group->row);
}

std::optional<QByteArray> GroupedRows::groupAt(int row) const
{
    const RowGroups::Group *group = m_groups && row < ownCount() ? m_groups->groupAt(m_expanded.at(row).base) : nullptr;
    return group == nullptr ? std::nullopt : std::optional(group->prefix);
}

/// Iterates over the analyses of all keys, so it does not run with every change.
void GroupedRows::countLocks()
{
    m_locks.clear();
    if (!m_groups)
        return;
    const keys::KnownKeys &known = m_list.known();
    for (auto fact = known.analysis.cbegin(); fact != known.analysis.cend(); ++fact) {
        const KeyId id = fact.key();
        if (known.isLive(id) && isLock.holds(known, id) && m_list.filter().matches(known, id))
            ++m_locks[groupOf(known.table.key(id), m_list.shownOrder().grouping).toByteArray()];
    }
}

void GroupedRows::recountLocks()
{
    const QHash<QByteArray, int> before = m_locks;
    countLocks();
    if (m_locks != before && rowCount() > 0)
        Q_EMIT rowsChanged(0, rowCount() - 1);
}

void GroupedRows::setCollapsed(const QByteArray &prefix, bool isCollapsed)
{
    const RowGroups::Group *group = m_groups ? m_groups->find(prefix) : nullptr;
    if (group == nullptr || group->isCollapsed == isCollapsed)
        return;
    const int first = m_expanded.rowOf(group->row) + 1;
    if (isCollapsed) {
        m_folded.insert(prefix);
        Q_EMIT rowsAboutToBeRemoved(first, m_expanded.rowOf(group->row + group->count + 1) - 1);
        m_groups = RowGroups::of(m_list, m_folded);
        placeOpened();
        Q_EMIT rowsRemoved();
    } else {
        qsizetype rows = group->count;
        for (const ExpandedKeys::Open &open : m_expanded.all()) {
            if (open.listRow >= group->first && open.listRow < group->first + group->count)
                rows += ExpandedKeys::rowsOf(m_list.known(), open.id).size();
        }
        m_folded.remove(prefix);
        Q_EMIT rowsAboutToBeInserted(first, first + static_cast<int>(rows) - 1);
        m_groups = RowGroups::of(m_list, m_folded);
        placeOpened();
        Q_EMIT rowsInserted();
    }
    Q_EMIT rowsChanged(first - 1, first - 1);
}

void GroupedRows::setOpen(KeyId id, bool isOpen)
{
    const int row = rowOf(id);
    if (row < 0 || isOpen == this->isOpen(id))
        return;
    const auto rows =
        isOpen ? static_cast<int>(ExpandedKeys::rowsOf(m_list.known(), id).size()) : m_expanded.find(id)->fieldCount();
    if (isOpen && rows == 0)
        return;
    if (isOpen) {
        Q_EMIT rowsAboutToBeInserted(row + 1, row + rows);
        m_expanded.open(m_list.known(), id);
        placeOpened();
        Q_EMIT rowsInserted();
    } else if (rows == 0) {
        m_expanded.close(id);
    } else {
        Q_EMIT rowsAboutToBeRemoved(row + 1, row + rows);
        m_expanded.close(id);
        Q_EMIT rowsRemoved();
    }
    Q_EMIT rowsChanged(row, row);
}

} // namespace latchkey::rows

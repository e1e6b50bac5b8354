#include "core/rows/groupedrows.h"

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
    m_recount.setSingleShot(true);
    m_recount.setInterval(locksStay);
    connect(&m_recount, &QTimer::timeout, this, &GroupedRows::recountLocks);
    countLocks();
    connectList();
}

void GroupedRows::connectList()
{
    connect(&m_list, &RowList::rowsAboutToBeInserted, this, [this](int first, int last) {
        if (m_groups)
            begin(2 * (last - first + 1)); // Each may bring a group of its own.
        else
            Q_EMIT rowsAboutToBeInserted(first, last);
    });
    connect(&m_list, &RowList::rowsInserted, this, [this] {
        if (m_isGrouped)
            finish();
        else
            Q_EMIT rowsInserted();
    });
    connect(&m_list, &RowList::rowsAboutToBeRemoved, this, [this](int first, int last) {
        if (m_groups) {
            announceRemoval(first, last);
            begin(0);
        } else {
            Q_EMIT rowsAboutToBeRemoved(first, last);
        }
    });
    connect(&m_list, &RowList::rowsRemoved, this, [this] {
        if (m_isGrouped)
            finish();
        else
            Q_EMIT rowsRemoved();
    });
    connect(&m_list, &RowList::rowsAboutToBeReordered, this, [this] {
        const bool willBeGrouped = m_list.sortOrder().isGrouped();
        if (!m_groups && !willBeGrouped)
            Q_EMIT rowsAboutToBeReordered();
        else if (m_groups && willBeGrouped
                 && m_list.sortOrder().grouping
                        == m_grouping) // What was not in its order yet may bring groups; what leaves it is seen.
            begin(m_list.rowCount() - m_list.sortedCount() + m_list.mostBehind());
        else
            begin(std::max(0, m_list.rowCount() + static_cast<int>(RowGroups::most) - ownCount()));
    });
    connect(&m_list, &RowList::rowsReordered, this, [this] {
        if (m_isGrouped)
            finish();
        else
            Q_EMIT rowsReordered();
    });
    connect(&m_list, &RowList::rowsChanged, this, &GroupedRows::announceChange);
}

/// As many rows as may be needed are there before anything moves: then moving is all that is left to be done.
void GroupedRows::begin(int mostNew)
{
    m_isGrouped = true;
    extend(mostNew);
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
    m_isGrouped = false;
    const int announced = rowCount();
    std::optional<RowGroups> groups;
    if (m_list.shownOrder().isGrouped()) {
        // Those that are shown may become more, one by one; where there are too many at once, none is shown.
        const bool areSame = m_groups && m_grouping == m_list.shownOrder().grouping;
        groups = RowGroups::of(m_list, m_folded, areSame ? std::numeric_limits<std::size_t>::max() : RowGroups::most);
        if (!groups || groups->groups().size() > RowGroups::most)
            QMetaObject::invokeMethod(this, &GroupedRows::giveUp, Qt::QueuedConnection);
    }
    const bool wereThere = m_groups && m_grouping == m_list.shownOrder().grouping;
    m_groups = std::move(groups);
    m_grouping = m_list.shownOrder().grouping;
    if (!wereThere)
        countLocks();
    else if (!m_recount.isActive())
        m_recount.start();
    m_blank = announced - ownCount();
    Q_ASSERT(m_blank >= 0);
    Q_EMIT rowsReordered();
    if (m_blank > 0) {
        Q_EMIT rowsAboutToBeRemoved(ownCount(), ownCount() + m_blank - 1);
        m_blank = 0;
        Q_EMIT rowsRemoved();
    }
}

void GroupedRows::giveUp()
{
    SortOrder order = m_list.sortOrder();
    if (!order.isGrouped())
        return;
    order.grouping = Grouping::None;
    m_list.setSortOrder(order);
    Q_EMIT gaveUp();
}

/// Those of the list's rows that can be seen.
void GroupedRows::announceRemoval(int first, int last)
{
    for (const RowGroups::Group &group : m_groups->groups()) {
        const int from = std::max(first, group.first);
        const int to = std::min(last, group.first + group.count - 1);
        if (from <= to && !group.isFolded)
            Q_EMIT rowsWillGo(m_groups->rowOf(from), m_groups->rowOf(to));
    }
    if (last >= m_list.sortedCount())
        Q_EMIT rowsWillGo(m_groups->rowOf(std::max(first, m_list.sortedCount())), m_groups->rowOf(last));
}

void GroupedRows::announceChange(int first, int last)
{
    if (!m_groups) {
        Q_EMIT rowsChanged(first, last);
        return;
    }
    if (!m_recount.isActive())
        m_recount.start();
    // Of what is folded away the group stands for it.
    const auto place = [this](int listRow) {
        const int row = m_groups->rowOf(listRow);
        if (row >= 0)
            return row;
        const auto &groups = m_groups->groups();
        return (std::ranges::upper_bound(groups, listRow, {}, &RowGroups::Group::first) - 1)->row;
    };
    Q_EMIT rowsChanged(place(first), place(last));
}

int GroupedRows::rowCount() const
{
    return ownCount() + m_blank;
}

GroupedRows::Item GroupedRows::itemAt(int row) const
{
    if (row >= ownCount())
        return {};
    if (!m_groups)
        return {m_list.idAt(row), std::nullopt};
    if (const auto listRow = m_groups->listRowAt(row))
        return {m_list.idAt(*listRow), std::nullopt};
    return {std::nullopt, m_groups->groupAt(row)->prefix};
}

int GroupedRows::rowOf(KeyId id) const
{
    const int listRow = m_list.rowOf(id);
    return m_groups ? m_groups->rowOf(listRow) : listRow;
}

int GroupedRows::rowOf(const Item &item) const
{
    if (item.id)
        return rowOf(*item.id);
    const RowGroups::Group *group = item.group && m_groups ? m_groups->find(*item.group) : nullptr;
    return group == nullptr ? -1 : group->row;
}

/// A walk along all that is known of locks: not with every change.
void GroupedRows::countLocks()
{
    m_locks.clear();
    if (!m_groups)
        return;
    const keys::KnownKeys &known = m_list.known();
    for (auto fact = known.facts.cbegin(); fact != known.facts.cend(); ++fact) {
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

void GroupedRows::setFolded(const QByteArray &prefix, bool isFolded)
{
    const RowGroups::Group *group = m_groups ? m_groups->find(prefix) : nullptr;
    if (group == nullptr || group->isFolded == isFolded)
        return;
    const int first = group->row + 1;
    const int last = group->row + group->count;
    if (isFolded) {
        m_folded.insert(prefix);
        Q_EMIT rowsAboutToBeRemoved(first, last);
        m_groups = RowGroups::of(m_list, m_folded);
        Q_EMIT rowsRemoved();
    } else {
        m_folded.remove(prefix);
        Q_EMIT rowsAboutToBeInserted(first, last);
        m_groups = RowGroups::of(m_list, m_folded);
        Q_EMIT rowsInserted();
    }
    Q_EMIT rowsChanged(first - 1, first - 1);
}

} // namespace latchkey::rows

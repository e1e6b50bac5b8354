#include "core/keyspace/rows/rowgroups.h"

#include <algorithm>

namespace latchkey::rows {

namespace {

QByteArrayView prefixAt(const RowList &list, int row)
{
    return groupOf(list.known().table.key(list.idAt(row)), list.shownOrder().grouping);
}

/// Returns the row after the last row of the group that begins at `first`. Searches with doubling steps, then by
/// bisection.
int endOf(const RowList &list, int first, QByteArrayView prefix)
{
    const int count = list.sortedCount();
    int inside = first;
    int step = 1;
    while (inside + step < count && prefixAt(list, inside + step) == prefix) {
        inside += step;
        step *= 2;
    }
    int outside = std::min(inside + step, count);
    while (outside - inside > 1) {
        const int middle = inside + (outside - inside) / 2;
        (prefixAt(list, middle) == prefix ? inside : outside) = middle;
    }
    return outside;
}

} // namespace

std::optional<RowGroups> RowGroups::of(const RowList &list, const QSet<QByteArray> &folded, std::size_t limit)
{
    RowGroups result;
    result.m_sorted = list.sortedCount();
    int row = 0;
    for (int first = 0; first < result.m_sorted;) {
        if (result.m_groups.size() == limit)
            return std::nullopt;
        const QByteArray prefix = prefixAt(list, first).toByteArray();
        const int end = endOf(list, first, prefix);
        const bool isCollapsed = folded.contains(prefix);
        result.m_groups.push_back({prefix, first, end - first, row, isCollapsed});
        row += isCollapsed ? 1 : 1 + end - first;
        first = end;
    }
    result.m_behind = row;
    result.m_rowCount = row + list.rowCount() - result.m_sorted;
    return result;
}

const RowGroups::Group *RowGroups::groupAt(int row) const
{
    if (row >= m_behind)
        return nullptr;
    const auto behind = std::ranges::upper_bound(m_groups, row, {}, &Group::row);
    return &*(behind - 1);
}

std::optional<int> RowGroups::listRowAt(int row) const
{
    const Group *group = groupAt(row);
    if (group == nullptr)
        return m_sorted + row - m_behind;
    return row == group->row ? std::nullopt : std::optional(group->first + row - group->row - 1);
}

int RowGroups::rowOf(int listRow) const
{
    if (listRow < 0)
        return -1;
    if (listRow >= m_sorted)
        return m_behind + listRow - m_sorted;
    const auto group = std::ranges::upper_bound(m_groups, listRow, {}, &Group::first) - 1;
    return group->isCollapsed ? -1 : group->row + 1 + listRow - group->first;
}

const RowGroups::Group *RowGroups::find(const QByteArray &prefix) const
{
    const auto found = std::ranges::find(m_groups, prefix, &Group::prefix);
    return found == m_groups.end() ? nullptr : &*found;
}

} // namespace latchkey::rows

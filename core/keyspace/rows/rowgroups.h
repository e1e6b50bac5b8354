#pragma once

#include "core/keyspace/rows/rowlist.h"

#include <QSet>

#include <optional>
#include <vector>

namespace latchkey::rows {

/// The groups of a list in a grouped order, and their positions in a table. Each group has its own row before its keys;
/// the keys have no rows while the group is folded.
///
/// A value type, created again after each change of the list. The ends of the groups are found by searching, so the
/// time depends on the number of groups, not of rows.
class RowGroups final
{
public:
    /// Maximum number of groups: more would be useless and too slow.
    static constexpr std::size_t maxGroups = 2000;

    struct Group
    {
        QByteArray prefix;
        int first = 0; ///< First row in the list.
        int count = 0; ///< Number of keys.
        int row = 0;   ///< The group's own row in the table.
        bool isCollapsed = false;
    };

    /// Creates the groups; absent if there are more than `limit`.
    [[nodiscard]] static std::optional<RowGroups> of(const RowList &list, const QSet<QByteArray> &folded,
                                                     std::size_t limit = maxGroups);

    [[nodiscard]] const std::vector<Group> &groups() const { return m_groups; }
    /// Returns the number of rows in the table. Includes the unsorted rows of the list, which come after all groups.
    [[nodiscard]] int rowCount() const { return m_rowCount; }

    /// Returns the group of a table row, which may be the group's own row or that of a key; null after all groups.
    [[nodiscard]] const Group *groupAt(int row) const;
    /// Returns the list row of a table row; absent for a group's own row.
    [[nodiscard]] std::optional<int> listRowAt(int row) const;
    /// Returns the table row of a list row; -1 if it is folded away.
    [[nodiscard]] int rowOf(int listRow) const;
    /// Returns the group; null if there is none with this prefix.
    [[nodiscard]] const Group *find(const QByteArray &prefix) const;

private:
    std::vector<Group> m_groups;
    int m_sorted = 0; ///< Number of list rows that are in groups.
    int m_behind = 0; ///< First table row after all groups.
    int m_rowCount = 0;
};

} // namespace latchkey::rows

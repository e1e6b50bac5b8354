#pragma once

#include "core/rows/rowlist.h"

#include <QSet>

#include <optional>
#include <vector>

namespace latchkey::rows {

/// The groups of a list in a grouped order, and where they and their keys stand in a table: each group has a row of its
/// own in front of its keys, which are not there while it is folded.
///
/// A value, made anew after each change of the list: the groups' ends are looked up, so that it takes as long as there
/// are groups and not as there are rows.
class RowGroups final
{
public:
    /// With more groups than these, grouping tells nobody anything, and would take too long.
    static constexpr std::size_t most = 2000;

    struct Group
    {
        QByteArray prefix;
        int first = 0; ///< Its first row in the list.
        int count = 0; ///< Its keys.
        int row = 0;   ///< Its own row in the table.
        bool isFolded = false;
    };

    /// Absent where there are more than the limit.
    [[nodiscard]] static std::optional<RowGroups> of(const RowList &list, const QSet<QByteArray> &folded,
                                                     std::size_t limit = most);

    [[nodiscard]] const std::vector<Group> &groups() const { return m_groups; }
    /// Of the table, those of the list that are not in their order included: they are behind all groups.
    [[nodiscard]] int rowCount() const { return m_rowCount; }

    /// The group to which a row of the table belongs, its own or that of a key; null for what is behind all groups.
    [[nodiscard]] const Group *groupAt(int row) const;
    /// The row of the list; absent where it is a group's own.
    [[nodiscard]] std::optional<int> listRowAt(int row) const;
    /// The row of the table where that of the list stands; -1: it is folded away.
    [[nodiscard]] int rowOf(int listRow) const;
    /// Null where there is no such group.
    [[nodiscard]] const Group *find(const QByteArray &prefix) const;

private:
    std::vector<Group> m_groups;
    int m_sorted = 0; ///< Rows of the list that are in groups.
    int m_behind = 0; ///< The first row of the table behind all groups.
    int m_rowCount = 0;
};

} // namespace latchkey::rows

#pragma once

#include "core/keyspace/rows/expandedkeys.h"
#include "core/keyspace/rows/rowgroups.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::rows {

/// The rows of a list as a table shows them: plain, or in groups that fold if the list's order is grouped. The expiring
/// fields of an opened key are rows below the key.
///
/// Without groups and opened keys, every change of the list is passed on unchanged. Otherwise a change is one
/// rearrangement, with rows added or removed at the end. So the cost of a change does not depend on the number of rows.
/// Owned by the model of a table; the list is not owned.
class GroupedRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupedRows)

public:
    /// The content of a row: a key, one of its fields, or a group by its prefix. Empty, for a moment, in a row that is
    /// about to be removed.
    struct Item
    {
        std::optional<keys::KeyId> id; ///< For a field, the ID of its key.
        std::optional<QByteArray> group;
        std::optional<FieldRow> field;
    };

    explicit GroupedRows(RowList &list);

    [[nodiscard]] RowList &list() const { return m_list; }
    [[nodiscard]] int rowCount() const;
    [[nodiscard]] Item itemAt(int row) const;
    /// Returns the row; -1 if there is none or it is folded away.
    [[nodiscard]] int rowOf(keys::KeyId id) const;
    [[nodiscard]] int rowOf(const Item &item) const;

    /// Returns the groups; absent while the rows are not grouped.
    [[nodiscard]] const std::optional<RowGroups> &groups() const { return m_groups; }
    /// Returns how many of a group's keys are locks, at most about a second old.
    [[nodiscard]] int lockCount(const QByteArray &prefix) const { return m_locks.value(prefix); }
    void setCollapsed(const QByteArray &prefix, bool isCollapsed);
    /// Returns the group of a row, which may be the group's own row or that of a key or field; absent if there is none.
    [[nodiscard]] std::optional<QByteArray> groupAt(int row) const;

    /// Returns the opened keys, with the rows of their fields below them.
    [[nodiscard]] const ExpandedKeys &expanded() const { return m_expanded; }
    [[nodiscard]] bool isOpen(keys::KeyId id) const { return m_expanded.find(id) != nullptr; }
    /// Opens or closes a key. No effect on a key without a row, or without fields that end. An open key stays open
    /// while it exists, under any order and filter.
    void setOpen(keys::KeyId id, bool isOpen);

Q_SIGNALS:
    // Same meaning as in RowList.
    void rowsAboutToBeInserted(int first, int last);
    void rowsInserted();
    void rowsAboutToBeRemoved(int first, int last);
    void rowsRemoved();
    void rowsAboutToBeReordered();
    void rowsReordered();
    void rowsChanged(int first, int last);
    /// Emitted when there are more groups than RowGroups::maxGroups. The list was set to the same order without groups.
    void groupingDropped();
    /// Emitted before a rearrangement that removes these rows, while they still exist.
    void rowsAboutToBeHidden(int first, int last);

private:
    void connectList();
    void begin(int maxNewRows);
    void finish();
    void extend(int rows);
    void dropGrouping();
    void countLocks();
    void recountLocks();
    void announceRemoval(int first, int last);
    void announceHiding(int firstBase, int lastBase);
    void announceChange(int first, int last);
    void refreshFields(ExpandedKeys::Open &open);
    void placeOpened();
    [[nodiscard]] int maxRowsOfOrder() const;
    /// Returns whether changes of the list are passed on unchanged.
    [[nodiscard]] bool isPlain() const { return !m_groups && m_expanded.isEmpty(); }
    [[nodiscard]] int baseOf(int listRow) const { return m_groups ? m_groups->rowOf(listRow) : listRow; }
    [[nodiscard]] int baseCount() const { return m_groups ? m_groups->rowCount() : m_list.rowCount(); }
    [[nodiscard]] int ownCount() const { return baseCount() + m_expanded.fieldCount(); }

    RowList &m_list; // Not owned.
    std::optional<RowGroups> m_groups;
    Grouping m_grouping = Grouping::None; ///< Grouping of m_groups.
    QSet<QByteArray> m_folded;
    int m_blank = 0;              ///< Number of empty rows at the end.
    int m_announced = 0;          ///< Announced number of rows during a change of the list.
    bool m_isRearranging = false; ///< True if the change under way is announced as a rearrangement.
    ExpandedKeys m_expanded;
    QHash<QByteArray, int> m_locks; ///< Number of locks by group prefix.
    QTimer m_recountTimer;          ///< Runs if something has changed since the locks were counted.
};

} // namespace latchkey::rows

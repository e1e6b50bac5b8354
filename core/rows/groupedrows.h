#pragma once

#include "core/rows/rowgroups.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::rows {

/// The rows of a list as a table shows them: as they are, or in groups that fold, where the list's order is grouped.
///
/// While nothing is grouped, every change of the list is handed on as it is. In groups a change is one rearrangement
/// (and rows that come or go at the end), so that it costs what it changes and not what there is.
/// Owned by the model of a table; the list is not owned.
class GroupedRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupedRows)

public:
    /// What stands in a row: a key, or a group by its prefix; neither, for a moment, in one that is about to go.
    struct Item
    {
        std::optional<keys::KeyId> id;
        std::optional<QByteArray> group;
    };

    explicit GroupedRows(RowList &list);

    [[nodiscard]] RowList &list() const { return m_list; }
    [[nodiscard]] int rowCount() const;
    [[nodiscard]] Item itemAt(int row) const;
    /// -1 where it is no row, or folded away.
    [[nodiscard]] int rowOf(keys::KeyId id) const;
    [[nodiscard]] int rowOf(const Item &item) const;

    /// Absent while nothing is grouped.
    [[nodiscard]] const std::optional<RowGroups> &groups() const { return m_groups; }
    /// How many of a group's keys are locks, as of about a second ago.
    [[nodiscard]] int lockCount(const QByteArray &prefix) const { return m_locks.value(prefix); }
    void setFolded(const QByteArray &prefix, bool isFolded);

Q_SIGNALS:
    // As RowList's.
    void rowsAboutToBeInserted(int first, int last);
    void rowsInserted();
    void rowsAboutToBeRemoved(int first, int last);
    void rowsRemoved();
    void rowsAboutToBeReordered();
    void rowsReordered();
    void rowsChanged(int first, int last);
    /// There are more groups than would tell anybody anything: the list is asked for the same order without them.
    void gaveUp();
    /// These rows are not there any more after the rearrangement that follows; while they still are.
    void rowsWillGo(int first, int last);

private:
    void connectList();
    void begin(int mostNew);
    void finish();
    void extend(int rows);
    void giveUp();
    void countLocks();
    void recountLocks();
    void announceRemoval(int first, int last);
    void announceChange(int first, int last);
    [[nodiscard]] int ownCount() const { return m_groups ? m_groups->rowCount() : m_list.rowCount(); }

    RowList &m_list; // Not owned.
    std::optional<RowGroups> m_groups;
    Grouping m_grouping = Grouping::None; ///< By which there are groups.
    QSet<QByteArray> m_folded;
    int m_blank = 0;                ///< Rows at the end in which nothing stands.
    bool m_isGrouped = false;       ///< The change under way is one of groups.
    QHash<QByteArray, int> m_locks; ///< By the group's prefix.
    QTimer m_recount;               ///< Something has changed since they were counted.
};

} // namespace latchkey::rows

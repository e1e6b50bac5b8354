#pragma once

#include "core/rows/openkeys.h"
#include "core/rows/rowgroups.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::rows {

/// The rows of a list as a table shows them: as they are, or in groups that fold, where the list's order is grouped;
/// and below a key that is opened, those of its fields that end by themselves.
///
/// While nothing is grouped and nothing opened, every change of the list is handed on as it is. Else a change is one
/// rearrangement (and rows that come or go at the end), so that it costs what it changes and not what there is.
/// Owned by the model of a table; the list is not owned.
class GroupedRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupedRows)

public:
    /// What stands in a row: a key, or a field of it, or a group by its prefix; nothing, for a moment, in one that is
    /// about to go.
    struct Item
    {
        std::optional<keys::KeyId> id; ///< Of a field, its key.
        std::optional<QByteArray> group;
        std::optional<FieldRow> field;
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
    /// The group to which a row belongs, its own or that of a key or field; absent where there is none.
    [[nodiscard]] std::optional<QByteArray> groupAt(int row) const;

    /// The keys below which the rows of their fields stand.
    [[nodiscard]] const OpenKeys &opened() const { return m_opened; }
    [[nodiscard]] bool isOpen(keys::KeyId id) const { return m_opened.find(id) != nullptr; }
    /// Opened, a key stays so for as long as it lives, whatever the order and the filter.
    void setOpen(keys::KeyId id, bool isOpen);

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
    void announceGoing(int firstBase, int lastBase);
    void announceChange(int first, int last);
    void refreshFields(OpenKeys::Open &open);
    void placeOpened();
    [[nodiscard]] int mostRowsOfOrder() const;
    /// Changes of the list are handed on as they are.
    [[nodiscard]] bool isPlain() const { return !m_groups && m_opened.isEmpty(); }
    [[nodiscard]] int baseOf(int listRow) const { return m_groups ? m_groups->rowOf(listRow) : listRow; }
    [[nodiscard]] int baseCount() const { return m_groups ? m_groups->rowCount() : m_list.rowCount(); }
    [[nodiscard]] int ownCount() const { return baseCount() + m_opened.fieldCount(); }

    RowList &m_list; // Not owned.
    std::optional<RowGroups> m_groups;
    Grouping m_grouping = Grouping::None; ///< By which there are groups.
    QSet<QByteArray> m_folded;
    int m_blank = 0;              ///< Rows at the end in which nothing stands.
    int m_announced = 0;          ///< Rows while the list changes, which has another number of them by then.
    bool m_isRearranging = false; ///< The change under way is announced as a rearrangement.
    OpenKeys m_opened;
    QHash<QByteArray, int> m_locks; ///< By the group's prefix.
    QTimer m_recount;               ///< Something has changed since they were counted.
};

} // namespace latchkey::rows

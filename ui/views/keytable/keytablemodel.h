#pragma once

#include "core/keyspace/rows/groupedrows.h"
#include "ui/views/keytable/keycolumns.h"

#include <QAbstractTableModel>

namespace latchkey::ui::keytable {

/// A table model of a row list. It forwards the list's notifications and returns the stored values unchanged. A group
/// has its own row with content in the first column only. Below an open key, each expiring field has its own row with
/// its name and remaining time.
///
/// All texts come from the traits of the columns. Cells that depend on the time are computed in data(), so the model
/// sends no changes for them; the view repaints them. Owned by the view that shows the model. Rows and time are not
/// owned and must outlive the model.
class KeyTableModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableModel)

public:
    using enum Column;
    // Unscoped, because all Qt interfaces take roles as int.
    enum Role : int {
        KeyRole = Qt::UserRole, ///< QByteArray: bytes of the key.
        DeadlineRole,           ///< base::Deadline
        FieldEndRole,           ///< base::Deadline: expiry of the first field, for a key without a TTL; invalid
                                ///< otherwise.
        SpanRole,               ///< qint64: milliseconds of a full bar.
        StartSeenRole,          ///< bool: see keys::KeyTable::isStartSeen().
        StateRole,              ///< keys::KeyState
        TypeRole,               ///< keys::KeyType
        RenewalsRole,           ///< Renewals; invalid for a key without regular renewals.
        GroupRole,              ///< QByteArray: prefix of the group of this row; invalid for a key.
        FoldedRole,             ///< bool: whether the group is folded.
        AnalysisRole,           ///< keys::KeyAnalysis; invalid if the key was not analysed.
        KindIconRole,           ///< QString: see KindSign; empty without an icon.
        OpenRole,               ///< bool: whether the fields of the key have rows; invalid for a key without expiring
                                ///< fields.
        FieldRole,              ///< QByteArray: name of the field of this row; invalid for other rows.
        RestRole,               ///< bool: whether the row is the last below a key, about fields that are not listed.
        HasFieldsRole,          ///< bool: whether any key of the server has expiring fields.
    };

    KeyTableModel(rows::RowList &rows, const ShownTime &time, QObject *parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    /// Requests the order from the list. The rows change when the list has been sorted.
    void sort(int column, Qt::SortOrder order) override;

    /// Sets the source of the renewals of keys. Without a source, no renewals are shown.
    void setRenewals(const RenewalSource &source) { m_renewals = source; }

    /// Sets the source of the signs of lock kinds. Without a source, no signs are shown.
    void setKindSigns(const KindSigns &signs) { m_kindSigns = signs; }

    [[nodiscard]] rows::RowList &rows() const { return m_rows; }
    /// Returns the key of a row. For a field's row, the key of the field. Absent for a group's row.
    [[nodiscard]] std::optional<keys::KeyId> idAt(int row) const { return m_grouped.itemAt(row).id; }
    /// Returns whether the row is that of a field, or the last row below an open key.
    [[nodiscard]] bool isFieldRow(int row) const { return m_grouped.itemAt(row).field.has_value(); }
    /// Returns the row of a key. -1 if the key has no row or its group is folded.
    [[nodiscard]] int rowOf(keys::KeyId id) const { return m_grouped.rowOf(id); }

    /// Requests the same order with other groups, or without groups. The rows change when the list is ready.
    void setGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::GroupedRows &grouped() { return m_grouped; }
    [[nodiscard]] const rows::GroupedRows &grouped() const { return m_grouped; }

Q_SIGNALS:
    /// Emitted before rowsAboutToBeRemoved(), which comes too late to read the selection of the rows.
    void rowsWillBeRemoved(int first, int last);

private:
    void forward();
    void beginReorder();
    void endReorder();
    [[nodiscard]] KeyRowData rowDataOf(keys::KeyId id) const;
    [[nodiscard]] QVariant groupData(const QByteArray &prefix, int column, int role) const;
    [[nodiscard]] QVariant fieldData(keys::KeyId id, const rows::FieldRow &field, int column, int role) const;
    [[nodiscard]] QString keySentence(keys::KeyId id, const QString &text) const;
    [[nodiscard]] KindSign kindSignOf(keys::KeyId id) const;
    [[nodiscard]] std::optional<Renewals> renewalsOf(keys::KeyId id) const;
    [[nodiscard]] QString toolTipOf(const ColumnTraits &column, keys::KeyId id) const;

    rows::RowList &m_rows; // Not owned.
    rows::GroupedRows m_grouped;
    const ShownTime &m_time; // Not owned.
    RenewalSource m_renewals;
    KindSigns m_kindSigns;
    /// Persistent indexes before the rows are reordered, and the item of each index.
    QModelIndexList m_before;
    std::vector<rows::GroupedRows::Item> m_beforeItems;
};

} // namespace latchkey::ui::keytable

Q_DECLARE_METATYPE(latchkey::base::Deadline)
Q_DECLARE_METATYPE(latchkey::keys::KeyState)
Q_DECLARE_METATYPE(latchkey::keys::KeyType)
Q_DECLARE_METATYPE(latchkey::keys::KeyAnalysis)

#pragma once

#include "core/rows/groupedrows.h"
#include "ui/keytable/keycolumns.h"

#include <QAbstractTableModel>

namespace latchkey::ui::keytable {

/// A row list as a table model: it forwards what the list announces, and gives what is known as it is. In groups, a
/// group has a row of its own, of which only the first column says something; below a key that is opened, so has each
/// field that ends by itself, of which there is the name and the time left.
///
/// Words come from the columns' traits alone. Cells that depend on the time are derived from it in data(), so the model
/// never says that they changed; the view repaints them. Owned by the view that shows it; rows and time are not owned
/// and must outlive it.
class KeyTableModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableModel)

public:
    using enum Column;
    // Unscoped: roles are ints to every Qt interface that takes them.
    enum Role : int {
        KeyRole = Qt::UserRole, ///< QByteArray: the key's bytes.
        DeadlineRole,           ///< base::Deadline
        FieldEndRole,           ///< base::Deadline: of a key without a TTL, when its first field ends; else invalid.
        SpanRole,               ///< qint64: milliseconds that a full bar stands for.
        StartSeenRole,          ///< bool: see keys::KeyTable::isStartSeen().
        StateRole,              ///< keys::KeyState
        TypeRole,               ///< keys::KeyType
        RenewalsRole,           ///< Renewals; invalid for a key without a rhythm.
        GroupRole,              ///< QByteArray: the prefix of the group whose row it is; invalid for a key.
        FoldedRole,             ///< bool: of a group.
        FactsRole,              ///< keys::Facts; invalid where nothing has been worked out.
        KindIconRole,           ///< QString: see KindSign; empty: none.
        OpenRole,               ///< bool: of a key with fields that end, whether they are rows; else invalid.
        FieldRole,              ///< QByteArray: the name of the field whose row it is; else invalid.
        RestRole,               ///< bool: the last row below a key, which says what is not listed.
        HasFieldsRole,          ///< bool: some key of the server has fields that end.
    };

    KeyTableModel(rows::RowList &rows, const ShownTime &time, QObject *parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    /// Asks the list for the order; the rows follow when it is ready.
    void sort(int column, Qt::SortOrder order) override;

    /// Where it is known how keys are renewed; none unless set.
    void setRenewals(const RenewalSource &source) { m_renewals = source; }

    /// Where it is known what stands for a kind of lock; nothing unless set.
    void setKindSigns(const KindSigns &signs) { m_kindSigns = signs; }

    [[nodiscard]] rows::RowList &rows() const { return m_rows; }
    /// Absent for a group's own row. Of a field's, its key.
    [[nodiscard]] std::optional<keys::KeyId> idAt(int row) const { return m_grouped.itemAt(row).id; }
    /// The row is a field's, or the last one below a key.
    [[nodiscard]] bool isFieldRow(int row) const { return m_grouped.itemAt(row).field.has_value(); }
    /// -1 where it is no row, or folded away.
    [[nodiscard]] int rowOf(keys::KeyId id) const { return m_grouped.rowOf(id); }

    /// Asks the list for the same order in groups, or without them; the rows follow when it is ready.
    void setGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::GroupedRows &grouped() { return m_grouped; }
    [[nodiscard]] const rows::GroupedRows &grouped() const { return m_grouped; }

Q_SIGNALS:
    /// Before rowsAboutToBeRemoved(), at which selections have let go of the rows already.
    void rowsWillBeRemoved(int first, int last);

private:
    void forward();
    void beginReorder();
    void endReorder();
    [[nodiscard]] KeyFacts factsOf(keys::KeyId id) const;
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
    /// While the rows are being reordered: which key each persistent index stands for.
    QModelIndexList m_before;
    std::vector<rows::GroupedRows::Item> m_beforeItems;
};

} // namespace latchkey::ui::keytable

Q_DECLARE_METATYPE(latchkey::base::Deadline)
Q_DECLARE_METATYPE(latchkey::keys::KeyState)
Q_DECLARE_METATYPE(latchkey::keys::KeyType)
Q_DECLARE_METATYPE(latchkey::keys::Facts)

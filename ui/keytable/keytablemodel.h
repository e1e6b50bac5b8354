#pragma once

#include "core/rows/rowstore.h"

#include <QAbstractTableModel>
#include <QDateTime>

namespace latchkey::ui::keytable {

/// A lease store as a table model: it forwards what the store announces and words what the store knows.
///
/// Cells that depend on the time are derived from it in data(), so the model never says that they changed; whoever
/// shows them repaints. Owned by the view that shows it; store and clock are not owned and must outlive it.
class KeyTableModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableModel)

public:
    // Unscoped: columns and roles are ints to every Qt interface that takes them.
    enum Column : int { KeyColumn, TypeColumn, ValueColumn, TimeLeftColumn, EndColumn, ColumnCount };
    enum Role : int {
        KeyRole = Qt::UserRole, ///< QByteArray: the key's bytes.
        DeadlineRole,           ///< base::Deadline
        SpanRole,               ///< qint64: milliseconds that a full bar stands for.
        StateRole,              ///< keys::KeyState
        TypeRole,               ///< keys::KeyType
    };

    KeyTableModel(rows::RowStore &store, const base::Clock &clock, QObject *parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    /// Asks the store for the order; the rows follow when it is ready.
    void sort(int column, Qt::SortOrder order) override;

    [[nodiscard]] rows::RowStore &store() const { return m_store; }
    [[nodiscard]] keys::KeyId idAt(int row) const { return m_store.idAt(row); }

private:
    void forward();
    void beginReorder();
    void endReorder();
    [[nodiscard]] QString text(int column, keys::KeyId id) const;

    rows::RowStore &m_store;
    const base::Clock &m_clock;
    /// While the rows are being reordered: which lease each persistent index stands for.
    QModelIndexList m_before;
    std::vector<keys::KeyId> m_beforeIds;
};

/// The order that a column sorts by.
[[nodiscard]] rows::SortColumn sortColumnFor(int column);

} // namespace latchkey::ui::keytable

Q_DECLARE_METATYPE(latchkey::base::Deadline)
Q_DECLARE_METATYPE(latchkey::keys::KeyState)
Q_DECLARE_METATYPE(latchkey::keys::KeyType)

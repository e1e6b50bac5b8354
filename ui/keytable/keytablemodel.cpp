#include "ui/keytable/keytablemodel.h"

#include "ui/keytable/keytext.h"

namespace latchkey::ui::keytable {

using keys::KeyId;
using rows::RowStore;
using rows::SortColumn;

SortColumn sortColumnFor(int column)
{
    switch (static_cast<KeyTableModel::Column>(column)) {
    case KeyTableModel::KeyColumn:
        return SortColumn::Key;
    case KeyTableModel::TypeColumn:
        return SortColumn::Type;
    case KeyTableModel::ValueColumn:
        return SortColumn::Value;
    case KeyTableModel::TimeLeftColumn:
    case KeyTableModel::EndColumn:
    case KeyTableModel::ColumnCount:
        break;
    }
    return SortColumn::TimeLeft;
}

KeyTableModel::KeyTableModel(RowStore &store, const base::Clock &clock, QObject *parent)
    : QAbstractTableModel(parent)
    , m_store(store)
    , m_clock(clock)
{
    forward();
}

void KeyTableModel::forward()
{
    connect(&m_store, &RowStore::rowsAboutToBeInserted, this,
            [this](int first, int last) { beginInsertRows({}, first, last); });
    connect(&m_store, &RowStore::rowsInserted, this, &KeyTableModel::endInsertRows);
    connect(&m_store, &RowStore::rowsAboutToBeRemoved, this,
            [this](int first, int last) { beginRemoveRows({}, first, last); });
    connect(&m_store, &RowStore::rowsRemoved, this, &KeyTableModel::endRemoveRows);
    connect(&m_store, &RowStore::rowsAboutToBeReordered, this, &KeyTableModel::beginReorder);
    connect(&m_store, &RowStore::rowsReordered, this, &KeyTableModel::endReorder);
    connect(&m_store, &RowStore::rowsChanged, this,
            [this](int first, int last) { Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1)); });
}

void KeyTableModel::beginReorder()
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_before = persistentIndexList();
    m_beforeIds.clear();
    for (const QModelIndex &index : m_before)
        m_beforeIds.push_back(m_store.idAt(index.row()));
}

void KeyTableModel::endReorder()
{
    QModelIndexList after;
    after.reserve(m_before.size());
    for (qsizetype i = 0; i < m_before.size(); ++i) {
        const int row = m_store.rowOf(m_beforeIds[static_cast<std::size_t>(i)]);
        after += row < 0 ? QModelIndex() : index(row, m_before[i].column());
    }
    changePersistentIndexList(m_before, after);
    m_before.clear();
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

int KeyTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_store.rowCount();
}

int KeyTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString KeyTableModel::text(int column, KeyId id) const
{
    constexpr qsizetype longestKey = 600;
    const keys::KeyTable &table = m_store.table();
    switch (static_cast<Column>(column)) {
    case KeyColumn:
        return table.key(id).isEmpty() ? tr("(empty key)") : base::printable(table.key(id), longestKey);
    case TypeColumn:
        return typeText(table.type(id));
    case ValueColumn: {
        const keys::ValuePreview *value = m_store.value(id);
        return value == nullptr ? QString() : valueText(*value, table.type(id));
    }
    case TimeLeftColumn:
        return timeLeftText(table.deadline(id), table.state(id), m_clock.now());
    case EndColumn:
        return endText(table.deadline(id), m_clock.now(), QDateTime::currentDateTime());
    case ColumnCount:
        break;
    }
    return {};
}

QVariant KeyTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const KeyId id = m_store.idAt(index.row());
    const keys::KeyTable &table = m_store.table();
    switch (role) {
    case Qt::DisplayRole:
        return text(index.column(), id);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(headerData(index.column(), Qt::Horizontal).toString(),
                                            text(index.column(), id));
    case Qt::ToolTipRole:
        return index.column() == KeyColumn || index.column() == ValueColumn ? text(index.column(), id) : QVariant();
    case KeyRole:
        return table.key(id).toByteArray();
    case DeadlineRole:
        return QVariant::fromValue(table.deadline(id));
    case SpanRole:
        return static_cast<qint64>(table.span(id).count());
    case StateRole:
        return QVariant::fromValue(table.state(id));
    case TypeRole:
        return QVariant::fromValue(table.type(id));
    default:
        return {};
    }
}

QVariant KeyTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return (Qt::AlignLeft | Qt::AlignVCenter).toInt();
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case KeyColumn:
        return tr("Key");
    case TypeColumn:
        return tr("Type");
    case ValueColumn:
        return tr("Value");
    case TimeLeftColumn:
        return tr("Time left");
    case EndColumn:
        return tr("Ends at");
    case ColumnCount:
        break;
    }
    return {};
}

void KeyTableModel::sort(int column, Qt::SortOrder order)
{
    m_store.setSortOrder({sortColumnFor(column), order == Qt::DescendingOrder});
}

} // namespace latchkey::ui::keytable

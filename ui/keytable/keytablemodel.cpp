#include "ui/keytable/keytablemodel.h"

#include "ui/widgets/plaintext.h"

namespace latchkey::ui::keytable {

using keys::KeyId;
using rows::RowList;

KeyTableModel::KeyTableModel(RowList &rows, const ShownTime &time, QObject *parent)
    : QAbstractTableModel(parent)
    , m_rows(rows)
    , m_time(time)
{
    forward();
}

void KeyTableModel::forward()
{
    connect(&m_rows, &RowList::rowsAboutToBeInserted, this,
            [this](int first, int last) { beginInsertRows({}, first, last); });
    connect(&m_rows, &RowList::rowsInserted, this, &KeyTableModel::endInsertRows);
    connect(&m_rows, &RowList::rowsAboutToBeRemoved, this, [this](int first, int last) {
        Q_EMIT rowsWillBeRemoved(first, last);
        beginRemoveRows({}, first, last);
    });
    connect(&m_rows, &RowList::rowsRemoved, this, &KeyTableModel::endRemoveRows);
    connect(&m_rows, &RowList::rowsAboutToBeReordered, this, &KeyTableModel::beginReorder);
    connect(&m_rows, &RowList::rowsReordered, this, &KeyTableModel::endReorder);
    connect(&m_rows, &RowList::rowsChanged, this,
            [this](int first, int last) { Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1)); });
}

void KeyTableModel::beginReorder()
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_before = persistentIndexList();
    m_beforeIds.clear();
    for (const QModelIndex &index : m_before)
        m_beforeIds.push_back(m_rows.idAt(index.row()));
}

void KeyTableModel::endReorder()
{
    QModelIndexList after;
    after.reserve(m_before.size());
    for (qsizetype i = 0; i < m_before.size(); ++i) {
        const int row = m_rows.rowOf(m_beforeIds[static_cast<std::size_t>(i)]);
        after += row < 0 ? QModelIndex() : index(row, m_before[i].column());
    }
    changePersistentIndexList(m_before, after);
    m_before.clear();
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

int KeyTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows.rowCount();
}

int KeyTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

KeyFacts KeyTableModel::factsOf(KeyId id) const
{
    const keys::KeyTable &table = m_rows.known().table;
    return {table.key(id),
            table.type(id),
            table.state(id),
            table.deadline(id),
            m_rows.known().value(id),
            m_rows.known().factsOf(id),
            m_time};
}

QVariant KeyTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const KeyId id = m_rows.idAt(index.row());
    const keys::KeyTable &table = m_rows.known().table;
    const ColumnTraits &column = traitsOf(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return column.text(factsOf(id));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(column.title(), column.text(factsOf(id)));
    case Qt::ToolTipRole:
        return column.toolTip == nullptr ? QVariant() : widgets::toolTipText(column.toolTip(factsOf(id)));
    case KeyRole:
        return table.key(id).toByteArray();
    case DeadlineRole:
        return QVariant::fromValue(table.deadline(id));
    case SpanRole:
        return static_cast<qint64>(table.span(id).count());
    case StartSeenRole:
        return table.isStartSeen(id);
    case StateRole:
        return QVariant::fromValue(table.state(id));
    case FactsRole: {
        const keys::Facts *facts = m_rows.known().factsOf(id);
        return facts == nullptr ? QVariant() : QVariant::fromValue(*facts);
    }
    case TypeRole:
        return QVariant::fromValue(table.type(id));
    default:
        return {};
    }
}

QVariant KeyTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const ColumnTraits &column = traitsOf(section);
    if (role == Qt::TextAlignmentRole)
        return (column.alignment | Qt::AlignVCenter).toInt();
    return role == Qt::DisplayRole ? QVariant(column.title()) : QVariant();
}

void KeyTableModel::sort(int column, Qt::SortOrder order)
{
    m_rows.setSortOrder({traitsOf(column).sort, order == Qt::DescendingOrder});
}

} // namespace latchkey::ui::keytable

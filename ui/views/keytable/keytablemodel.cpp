#include "ui/views/keytable/keytablemodel.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keytext.h"

namespace latchkey::ui::keytable {

using keys::KeyId;
using rows::GroupedRows;
using rows::RowList;

KeyTableModel::KeyTableModel(RowList &rows, const ShownTime &time, QObject *parent)
    : QAbstractTableModel(parent)
    , m_rows(rows)
    , m_grouped(rows)
    , m_time(time)
{
    forward();
}

void KeyTableModel::forward()
{
    connect(&m_grouped, &GroupedRows::rowsAboutToBeInserted, this,
            [this](int first, int last) { beginInsertRows({}, first, last); });
    connect(&m_grouped, &GroupedRows::rowsInserted, this, &KeyTableModel::endInsertRows);
    connect(&m_grouped, &GroupedRows::rowsAboutToBeRemoved, this, [this](int first, int last) {
        Q_EMIT rowsWillBeRemoved(first, last);
        beginRemoveRows({}, first, last);
    });
    connect(&m_grouped, &GroupedRows::rowsAboutToBeHidden, this, &KeyTableModel::rowsWillBeRemoved);
    connect(&m_grouped, &GroupedRows::rowsRemoved, this, &KeyTableModel::endRemoveRows);
    connect(&m_grouped, &GroupedRows::rowsAboutToBeReordered, this, &KeyTableModel::beginReorder);
    connect(&m_grouped, &GroupedRows::rowsReordered, this, &KeyTableModel::endReorder);
    connect(&m_grouped, &GroupedRows::rowsChanged, this,
            [this](int first, int last) { Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1)); });
}

void KeyTableModel::beginReorder()
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_before = persistentIndexList();
    m_beforeItems.clear();
    for (const QModelIndex &index : m_before)
        m_beforeItems.push_back(m_grouped.itemAt(index.row()));
}

void KeyTableModel::endReorder()
{
    QModelIndexList after;
    after.reserve(m_before.size());
    for (qsizetype i = 0; i < m_before.size(); ++i) {
        const int row = m_grouped.rowOf(m_beforeItems[static_cast<std::size_t>(i)]);
        after += row < 0 ? QModelIndex() : index(row, m_before[i].column());
    }
    changePersistentIndexList(m_before, after);
    m_before.clear();
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

int KeyTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_grouped.rowCount();
}

int KeyTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

KeyRowData KeyTableModel::rowDataOf(KeyId id) const
{
    const keys::KeyTable &table = m_rows.known().table;
    return {table.key(id),
            table.type(id),
            table.state(id),
            table.deadline(id),
            m_rows.known().value(id),
            m_rows.known().analysisOf(id),
            m_rows.known().fieldEndsOf(id),
            m_time,
            nullptr};
}

std::optional<Renewals> KeyTableModel::renewalsOf(KeyId id) const
{
    return m_renewals ? m_renewals(m_rows.known().table.key(id)) : std::nullopt;
}

KindSign KeyTableModel::kindSignOf(KeyId id) const
{
    const keys::KeyAnalysis *analysis = m_rows.known().analysisOf(id);
    return analysis == nullptr || analysis->kind.isEmpty() || !m_kindSigns ? KindSign() : m_kindSigns(analysis->kind);
}

QString KeyTableModel::toolTipOf(const ColumnTraits &column, KeyId id) const
{
    const auto renewals = renewalsOf(id);
    const KindSign sign = kindSignOf(id);
    KeyRowData data = rowDataOf(id);
    data.renewals = renewals ? &*renewals : nullptr;
    data.kindSign = &sign;
    return column.toolTip(data);
}

QVariant KeyTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const GroupedRows::Item item = m_grouped.itemAt(index.row());
    if (!item.id)
        return groupData(item.group.value_or(QByteArray()), index.column(), role);
    const KeyId id = *item.id;
    if (item.field)
        return fieldData(id, *item.field, index.column(), role);
    const keys::KeyTable &table = m_rows.known().table;
    const ColumnTraits &column = traitsOf(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return column.text(rowDataOf(id));
    case Qt::AccessibleTextRole:
        return index.column() == KeyColumn ? keySentence(id, column.text(rowDataOf(id)))
                                           : QStringLiteral("%1: %2").arg(column.title(), column.text(rowDataOf(id)));
    case Qt::ToolTipRole:
        return column.toolTip == nullptr ? QVariant() : widgets::toolTipText(toolTipOf(column, id));
    case RenewalsRole: {
        const auto renewals = renewalsOf(id);
        return renewals ? QVariant::fromValue(*renewals) : QVariant();
    }
    case KindIconRole:
        return kindSignOf(id).icon;
    case KeyRole:
        return table.key(id).toByteArray();
    case DeadlineRole:
        return QVariant::fromValue(table.deadline(id));
    case FieldEndRole: {
        const keys::FieldDeadlines *fields = table.deadline(id).isNever() ? m_rows.known().fieldEndsOf(id) : nullptr;
        return fields == nullptr ? QVariant() : QVariant::fromValue(fields->firstEnd());
    }
    case SpanRole:
        return static_cast<qint64>(table.span(id).count());
    case StartSeenRole:
        return table.isStartSeen(id);
    case StateRole:
        return QVariant::fromValue(table.state(id));
    case AnalysisRole: {
        const keys::KeyAnalysis *analysis = m_rows.known().analysisOf(id);
        return analysis == nullptr ? QVariant() : QVariant::fromValue(*analysis);
    }
    case TypeRole:
        return QVariant::fromValue(table.type(id));
    case OpenRole:
        return m_rows.known().fieldEndsOf(id) == nullptr ? QVariant() : m_grouped.isOpen(id);
    case HasFieldsRole:
        return !m_rows.known().fieldEnds.isEmpty();
    default:
        return {};
    }
}

/// Returns the text of a key for screen readers.
QString KeyTableModel::keySentence(KeyId id, const QString &text) const
{
    const QString key = QStringLiteral("%1: %2").arg(traitsOf(KeyColumn).title(), text);
    const keys::FieldDeadlines *fields = m_rows.known().fieldEndsOf(id);
    return fields == nullptr ? key : QStringLiteral("%1; %2").arg(key, opensSentence(*fields, m_grouped.isOpen(id)));
}

QVariant KeyTableModel::fieldData(KeyId id, const rows::FieldRow &field, int column, int role) const
{
    const bool saysEnd = !field.isRest && (column == TimeLeftColumn || column == EndColumn);
    QString text;
    if (column == KeyColumn) {
        text = field.isRest ? restText(field.moreEnding, field.unreadCount) : fieldText(field.name);
    } else if (saysEnd) {
        KeyRowData data = rowDataOf(id);
        data.deadline = field.deadline;
        data.fields = nullptr;
        text = traitsOf(column).text(data);
    }
    switch (role) {
    case Qt::DisplayRole:
        return text;
    case Qt::AccessibleTextRole:
        if (column == KeyColumn)
            return field.isRest ? text : fieldSentence(text);
        return saysEnd ? QStringLiteral("%1: %2").arg(traitsOf(column).title(), text) : QString();
    case Qt::ToolTipRole:
        return text.isEmpty() ? QVariant() : widgets::toolTipText(text);
    case KeyRole:
        return m_rows.known().table.key(id).toByteArray();
    case FieldRole:
        return field.isRest ? QVariant() : field.name;
    case RestRole:
        return field.isRest;
    case DeadlineRole:
        return QVariant::fromValue(field.deadline);
    case SpanRole:
        return static_cast<qint64>(field.span.count());
    case StartSeenRole:
        return false; // A field was first seen with its TTL running, or received its TTL between two reads.
    case StateRole:
        return QVariant::fromValue(m_rows.known().table.state(id));
    case HasFieldsRole:
        return true;
    default:
        return {};
    }
}

/// Returns the data of a group's row. A row without a group can exist for a moment; it is treated like a group's row.
QVariant KeyTableModel::groupData(const QByteArray &prefix, int column, int role) const
{
    const auto &groups = m_grouped.groups();
    const rows::RowGroups::Group *group = groups ? groups->find(prefix) : nullptr;
    switch (role) {
    case Qt::AccessibleTextRole:
        if (column == KeyColumn && group != nullptr)
            return groupSentence(groupText(prefix, group->count, m_grouped.lockCount(prefix)), group->isCollapsed);
        return QString();
    case Qt::DisplayRole:
        return column == KeyColumn && group != nullptr ? groupText(prefix, group->count, m_grouped.lockCount(prefix))
                                                       : QString();
    case GroupRole:
        return prefix.isNull() ? QByteArray("") : prefix;
    case FoldedRole:
        return group != nullptr && group->isCollapsed;
    case DeadlineRole:
        return QVariant::fromValue(base::Deadline::never());
    case StateRole:
        return QVariant::fromValue(keys::KeyState::Live);
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
    m_rows.setSortOrder({traitsOf(column).sort, order == Qt::DescendingOrder, m_rows.sortOrder().grouping});
}

void KeyTableModel::setGrouping(rows::Grouping grouping)
{
    rows::SortOrder order = m_rows.sortOrder();
    order.grouping = grouping;
    if (order != m_rows.sortOrder())
        m_rows.setSortOrder(order);
}

} // namespace latchkey::ui::keytable

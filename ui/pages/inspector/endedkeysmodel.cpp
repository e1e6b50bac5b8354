#include "ui/pages/inspector/endedkeysmodel.h"

#include "core/foundation/base/timetext.h"
#include "ui/pages/inspector/endedtext.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace latchkey::ui::inspector {

using keys::EndedKey;

EndedKeysModel::EndedKeysModel(const keys::EndedKeyLog &ended, const base::Clock &clock, QObject *parent)
    : QAbstractTableModel(parent)
    , m_ended(ended)
    , m_clock(clock)
{
    update();
}

bool EndedKeysModel::matches(const EndedKey &ended) const
{
    return ended.count > 1 || m_filter.matches(ended.key);
}

void EndedKeysModel::setFilter(const base::Glob &filter)
{
    if (filter == m_filter)
        return;
    m_filter = filter;
    if (!m_rows.empty()) {
        beginRemoveRows({}, 0, static_cast<int>(m_rows.size()) - 1);
        m_rows.clear();
        endRemoveRows();
    }
    m_next = m_ended.first();
    update();
}

void EndedKeysModel::update()
{
    trim();
    if (std::exchange(m_changes, m_ended.changes()) != m_ended.changes() && !m_rows.empty())
        Q_EMIT dataChanged(index(0, EndingColumn), index(static_cast<int>(m_rows.size()) - 1, SourceColumn));
    std::vector<quint64> added;
    for (m_next = std::max(m_next, m_ended.first()); m_next < m_ended.total(); ++m_next) {
        if (matches(m_ended.at(m_next)))
            added.push_back(m_next);
    }
    if (added.empty())
        return;
    beginInsertRows({}, 0, static_cast<int>(added.size()) - 1);
    m_rows.insert(m_rows.begin(), added.rbegin(), added.rend());
    endInsertRows();
}

void EndedKeysModel::trim()
{
    const auto dropped =
        std::find_if(m_rows.begin(), m_rows.end(), [this](quint64 row) { return row < m_ended.first(); });
    if (dropped == m_rows.end())
        return;
    beginRemoveRows({}, static_cast<int>(dropped - m_rows.begin()), static_cast<int>(m_rows.size()) - 1);
    m_rows.erase(dropped, m_rows.end());
    endRemoveRows();
}

QByteArray EndedKeysModel::keyAt(int row) const
{
    const quint64 number = m_rows[static_cast<std::size_t>(row)];
    return number < m_ended.first() ? QByteArray() : m_ended.at(number).key;
}

int EndedKeysModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int EndedKeysModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant EndedKeysModel::data(const QModelIndex &index, int role) const
{
    const quint64 number = m_rows[static_cast<std::size_t>(index.row())];
    if (number < m_ended.first())
        return {}; // The record has dropped the key since the last trim().
    const EndedKey &ended = m_ended.at(number);
    if (role == Qt::DisplayRole)
        return text(ended, index.column());
    if (role == Qt::ToolTipRole && index.column() == SourceColumn)
        return EndedText::source(ended, m_clock).explanation;
    return {};
}

QString EndedKeysModel::text(const EndedKey &ended, int column) const
{
    switch (static_cast<Column>(column)) {
    case TimeColumn:
        return EndedText::time(ended, m_clock);
    case KeyColumn:
        return EndedText::key(ended);
    case EndingColumn:
        return EndedText::ending(ended);
    case DeadlineColumn:
        return ended.deadline.isNever() ? QString() : base::preciseTimeOfDay(m_clock.wallAt(ended.deadline.at()));
    case LateColumn:
        return EndedText::late(ended);
    case SourceColumn:
        return EndedText::source(ended, m_clock).name;
    case ColumnCount:
        break;
    }
    return {};
}

QVariant EndedKeysModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case TimeColumn:
        return tr("Time");
    case KeyColumn:
        return tr("Key");
    case EndingColumn:
        return tr("End");
    case DeadlineColumn:
        return tr("Deadline");
    case LateColumn:
        return tr("Late");
    case SourceColumn:
        return tr("Known by");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace latchkey::ui::inspector

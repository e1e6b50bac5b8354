#include "ui/views/keytable/selectionrestorer.h"

#include "ui/views/keytable/keytablemodel.h"

#include <QAbstractItemView>
#include <QItemSelectionModel>
#include <QScopedValueRollback>

#include <algorithm>
#include <utility>
#include <vector>

namespace latchkey::ui::keytable {

SelectionRestorer::SelectionRestorer(QAbstractItemView &view, KeyTableModel &model)
    : m_view(view)
    , m_model(model)
{
    connect(&model, &KeyTableModel::rowsWillBeRemoved, this, &SelectionRestorer::remember);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &SelectionRestorer::removed);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &SelectionRestorer::restore);
    connect(&model, &QAbstractItemModel::layoutChanged, this, &SelectionRestorer::restore); // Changes of groups are
                                                                                            // layout changes, see
                                                                                            // GroupedRows.
    connect(view.selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_isOurs)
            return;
        m_awaited.clear();
        m_current.clear();
        m_substitute = QModelIndex();
    });
}

void SelectionRestorer::remember(int first, int last)
{
    m_isOurs = true;
    const int current = m_view.currentIndex().row();
    for (const QItemSelectionRange &range : m_view.selectionModel()->selection()) {
        const int end = std::min(range.bottom(), last);
        for (int row = std::max(range.top(), first); row <= end && m_awaited.size() < maxKeys; ++row) {
            if (!m_model.idAt(row))
                continue; // The row belongs to a group.
            const QByteArray key = m_model.index(row, KeyColumn).data(KeyTableModel::KeyRole).toByteArray();
            m_areFieldRowsRemoved = m_areFieldRowsRemoved || m_model.isFieldRow(row);
            if (!m_awaited.contains(key))
                m_awaited += key;
            if (row == current)
                m_current = key;
        }
    }
}

void SelectionRestorer::removed()
{
    m_isOurs = false;
    if (!m_current.isNull() && !m_substitute.isValid())
        m_substitute = m_view.currentIndex();
    if (std::exchange(m_areFieldRowsRemoved, false))
        restore(); // A field expired, or its key was closed. The key still exists and is selected instead.
}

void SelectionRestorer::await(const QList<QByteArray> &keys)
{
    m_awaited = keys.first(std::min(keys.size(), maxKeys));
    m_current = m_awaited.value(0);
    m_substitute = m_view.currentIndex();
    restore();
}

void SelectionRestorer::restore()
{
    if (m_awaited.isEmpty())
        return;
    // Removed from the list before the selection changes: slots of the selection change read the awaited keys.
    std::vector<std::pair<QByteArray, int>> back;
    m_awaited.removeIf([&](const QByteArray &key) {
        const auto id = m_model.rows().known().table.find(key);
        const int row = id ? m_model.rowOf(*id) : -1;
        if (row >= 0)
            back.emplace_back(key, row);
        return row >= 0;
    });
    const QScopedValueRollback isOurs(m_isOurs, true);
    for (const auto &[key, row] : back) {
        const QModelIndex index = m_model.index(row, KeyColumn);
        if (key == m_current)
            restoreFocus(index);
        m_view.selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
}

void SelectionRestorer::restoreFocus(const QModelIndex &index)
{
    if (m_view.currentIndex() == m_substitute) {
        const bool scrolls = m_view.hasAutoScroll(); // Scrolling would move the visible rows.
        m_view.setAutoScroll(false);
        m_view.selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        m_view.setAutoScroll(scrolls);
    }
    m_current.clear();
    m_substitute = QModelIndex();
}

} // namespace latchkey::ui::keytable

#include "ui/views/keytable/rowexpander.h"

#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytablemodel.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QTableView>

namespace latchkey::ui::keytable {

RowExpander::RowExpander(QTableView &view, KeyTableModel &model)
    : m_view(view)
    , m_model(model)
{}

void RowExpander::toggleGroup(const QModelIndex &index)
{
    const QVariant group = index.data(KeyTableModel::GroupRole);
    if (group.isValid())
        m_model.grouped().setCollapsed(group.toByteArray(), !index.data(KeyTableModel::FoldedRole).toBool());
}

bool RowExpander::handleKey(const QKeyEvent &event)
{
    const bool isLeft = event.key() == (m_view.isRightToLeft() ? Qt::Key_Right : Qt::Key_Left);
    const bool isRight = event.key() == (m_view.isRightToLeft() ? Qt::Key_Left : Qt::Key_Right);
    if ((!isLeft && !isRight) || !m_view.currentIndex().isValid())
        return false;
    if (openByKey(isRight))
        return true;
    if (!m_model.grouped().groups())
        return false;
    const QVariant group = m_view.currentIndex().data(KeyTableModel::GroupRole);
    if (group.isValid()) {
        m_model.grouped().setCollapsed(group.toByteArray(), isLeft);
    } else if (isLeft) {
        if (const auto own = m_model.grouped().groupAt(m_view.currentIndex().row()))
            m_view.setCurrentIndex(
                m_model.index(m_model.grouped().rowOf({std::nullopt, own, std::nullopt}), KeyColumn));
    }
    return true;
}

/// Opens the current key with Right. Closes it with Left, or moves from a field to its key. Returns false if the key
/// press has no meaning for the row.
bool RowExpander::openByKey(bool opens)
{
    const auto item = m_model.grouped().itemAt(m_view.currentIndex().row());
    if (!item.id)
        return false;
    if (item.field) {
        if (!opens)
            m_view.setCurrentIndex(m_model.index(m_model.rowOf(*item.id), KeyColumn));
        return true;
    }
    const QVariant isOpen = m_view.currentIndex().siblingAtColumn(KeyColumn).data(KeyTableModel::OpenRole);
    if (!isOpen.isValid() || isOpen.toBool() == opens)
        return false;
    m_model.grouped().setOpen(*item.id, opens);
    return true;
}

bool RowExpander::handlePress(const QMouseEvent &event)
{
    const QModelIndex index = m_view.indexAt(event.position().toPoint());
    if (event.button() != Qt::LeftButton || !index.isValid() || index.column() != KeyColumn)
        return false;
    const QVariant isOpen = index.data(KeyTableModel::OpenRole);
    const auto id = m_model.idAt(index.row());
    if (!isOpen.isValid() || !id
        || !openMark(m_view.visualRect(index), m_view.layoutDirection()).contains(event.position().toPoint()))
        return false;
    m_model.grouped().setOpen(*id, !isOpen.toBool());
    return true;
}

} // namespace latchkey::ui::keytable

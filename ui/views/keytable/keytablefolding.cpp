// Folding of groups, and opening of keys with expiring fields, in a KeyTableView.

#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytableview.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <utility>

namespace latchkey::ui::keytable {

void KeyTableView::toggleGroup(const QModelIndex &index)
{
    const QVariant group = index.data(KeyTableModel::GroupRole);
    if (group.isValid())
        m_model->grouped().setCollapsed(group.toByteArray(), !index.data(KeyTableModel::FoldedRole).toBool());
}

/// Handles Left and Right. Left folds the current group, or moves from a key to its group. Right unfolds the group.
bool KeyTableView::foldByKey(const QKeyEvent &event)
{
    const bool isLeft = event.key() == (isRightToLeft() ? Qt::Key_Right : Qt::Key_Left);
    const bool isRight = event.key() == (isRightToLeft() ? Qt::Key_Left : Qt::Key_Right);
    if ((!isLeft && !isRight) || !m_model || !currentIndex().isValid())
        return false;
    if (openByKey(isRight))
        return true;
    if (!m_model->grouped().groups())
        return false;
    const QVariant group = currentIndex().data(KeyTableModel::GroupRole);
    if (group.isValid()) {
        m_model->grouped().setCollapsed(group.toByteArray(), isLeft);
    } else if (isLeft) {
        if (const auto own = m_model->grouped().groupAt(currentIndex().row()))
            setCurrentIndex(m_model->index(m_model->grouped().rowOf({std::nullopt, own, std::nullopt}), KeyColumn));
    }
    return true;
}

/// Opens the current key with Right. Closes it with Left, or moves from a field to its key. Returns false if the key
/// press has no meaning for the row.
bool KeyTableView::openByKey(bool opens)
{
    const auto item = m_model->grouped().itemAt(currentIndex().row());
    if (!item.id)
        return false;
    if (item.field) {
        if (!opens)
            setCurrentIndex(m_model->index(m_model->rowOf(*item.id), KeyColumn));
        return true;
    }
    const QVariant isOpen = currentIndex().siblingAtColumn(KeyColumn).data(KeyTableModel::OpenRole);
    if (!isOpen.isValid() || isOpen.toBool() == opens)
        return false;
    m_model->grouped().setOpen(*item.id, opens);
    return true;
}

/// Opens or closes a key after a click on its mark. The selection does not change.
bool KeyTableView::openByMouse(const QMouseEvent &event)
{
    const QModelIndex index = indexAt(event.position().toPoint());
    if (event.button() != Qt::LeftButton || !index.isValid() || index.column() != KeyColumn)
        return false;
    const QVariant isOpen = index.data(KeyTableModel::OpenRole);
    const auto id = m_model->idAt(index.row());
    if (!isOpen.isValid() || !id
        || !openMark(visualRect(index), layoutDirection()).contains(event.position().toPoint()))
        return false;
    m_model->grouped().setOpen(*id, !isOpen.toBool());
    return true;
}

void KeyTableView::mousePressEvent(QMouseEvent *event)
{
    if (openByMouse(*event))
        return;
    holdRows();
    QTableView::mousePressEvent(event);
}

void KeyTableView::mouseReleaseEvent(QMouseEvent *event)
{
    QTableView::mouseReleaseEvent(event);
    if (event->buttons() == Qt::NoButton)
        releaseRows();
}

void KeyTableView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (openByMouse(*event))
        return;
    holdRows();
    QTableView::mouseDoubleClickEvent(event);
}

/// Releases the rows. A menu or dialog that opens receives the release of the button instead of this widget.
void KeyTableView::focusOutEvent(QFocusEvent *event)
{
    releaseRows();
    QTableView::focusOutEvent(event);
}

void KeyTableView::hideEvent(QHideEvent *event)
{
    releaseRows();
    QTableView::hideEvent(event);
}

void KeyTableView::holdRows()
{
    if (!m_model)
        return;
    m_isHolding = true;
    m_model->rows().setSuspended(true);
    m_holdTimer.start();
}

/// Permits changes of the rows again, from the next commit of the store on.
void KeyTableView::releaseRows()
{
    m_holdTimer.stop();
    if (std::exchange(m_isHolding, false))
        m_model->rows().setSuspended(false);
}

/// Repaints all rows when the first key gets expiring fields: every row then leaves room for the mark.
void KeyTableView::showFieldsRoom()
{
    const bool hasFields = m_model && !m_model->rows().known().fieldEnds.isEmpty();
    if (std::exchange(m_hasFields, hasFields) != hasFields)
        viewport()->update();
}

} // namespace latchkey::ui::keytable

#include "ui/kit/widgets/filterkeys.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeWidget>

namespace latchkey::ui::widgets {

FilterKeys::FilterKeys(QLineEdit &filter, QTreeWidget &list)
    : QObject(&filter)
    , m_list(list)
{
    filter.installEventFilter(this);
}

bool FilterKeys::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QObject::eventFilter(watched, event);
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Up:
        move(-1);
        return true;
    case Qt::Key_Down:
        move(1);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT chosen();
        return true;
    default:
        return QObject::eventFilter(watched, event);
    }
}

void FilterKeys::move(int by)
{
    constexpr Qt::ItemFlags selectable = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
    QTreeWidgetItem *item = m_list.currentItem();
    do {
        item = item == nullptr ? nullptr : by > 0 ? m_list.itemBelow(item) : m_list.itemAbove(item);
    } while (item != nullptr && (item->flags() & selectable) != selectable);
    if (item != nullptr)
        m_list.setCurrentItem(item);
}

} // namespace latchkey::ui::widgets

#include "ui/kit/widgets/taborder.h"

#include <QLayout>
#include <QList>
#include <QWidget>

namespace latchkey::ui::widgets {

namespace {

QList<QWidget *> stopsIn(const QLayout &layout)
{
    QList<QWidget *> stops;
    for (int i = 0; i < layout.count(); ++i) {
        QLayoutItem *item = layout.itemAt(i);
        if (QLayout *inner = item->layout())
            stops += stopsIn(*inner);
        QWidget *widget = item->widget();
        if (widget == nullptr)
            continue;
        if (widget->focusPolicy() != Qt::NoFocus)
            stops += widget;
        else if (widget->layout() != nullptr)
            stops += stopsIn(*widget->layout());
    }
    return stops;
}

} // namespace

void tabInLayoutOrder(const QLayout &layout)
{
    const QList<QWidget *> stops = stopsIn(layout);
    for (qsizetype i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1], stops[i]);
}

} // namespace latchkey::ui::widgets

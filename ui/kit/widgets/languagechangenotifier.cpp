#include "ui/kit/widgets/languagechangenotifier.h"

#include <QEvent>
#include <QWidget>

namespace latchkey::ui::widgets {

LanguageChangeNotifier::LanguageChangeNotifier(QWidget *widget)
    : QObject(widget)
{
    widget->installEventFilter(this);
}

bool LanguageChangeNotifier::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        Q_EMIT changed();
    return QObject::eventFilter(watched, event);
}

} // namespace latchkey::ui::widgets

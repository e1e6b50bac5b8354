#include "ui/kit/widgets/wheelguard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>

namespace latchkey::ui::widgets {

namespace {

bool changesByWheel(const QObject *object)
{
    return qobject_cast<const QComboBox *>(object) != nullptr
        || qobject_cast<const QAbstractSpinBox *>(object) != nullptr;
}

} // namespace

WheelGuard::WheelGuard(QObject *parent)
    : QObject(parent)
{
    qApp->installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Polish && changesByWheel(watched)) {
        // Without this, the wheel itself would give the field the focus.
        auto *field = static_cast<QWidget *>(watched);
        if (field->focusPolicy() == Qt::WheelFocus)
            field->setFocusPolicy(Qt::StrongFocus);
    } else if (event->type() == QEvent::Wheel && changesByWheel(watched)
               && !static_cast<QWidget *>(watched)->hasFocus()) {
        event->ignore(); // Ignored, so that Qt offers the event to the parent.
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace latchkey::ui::widgets

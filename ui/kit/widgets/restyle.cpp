#include "ui/kit/widgets/restyle.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace latchkey::ui::widgets {

void restyle(QWidget &widget, const char *property, const QString &value)
{
    if (widget.property(property).toString() == value)
        return;
    widget.setProperty(property, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace latchkey::ui::widgets

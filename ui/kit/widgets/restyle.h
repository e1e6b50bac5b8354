#pragma once

class QString;
class QWidget;

namespace latchkey::ui::widgets {

/// Sets a dynamic property that the style sheet uses, and styles the widget again if the value has changed.
void restyle(QWidget &widget, const char *property, const QString &value);

} // namespace latchkey::ui::widgets

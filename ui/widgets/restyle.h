#pragma once

class QString;
class QWidget;

namespace latchkey::ui::widgets {

/// Sets a dynamic property that the style sheet asks for, and has the widget styled anew if that changes anything.
void restyle(QWidget &widget, const char *property, const QString &value);

} // namespace latchkey::ui::widgets

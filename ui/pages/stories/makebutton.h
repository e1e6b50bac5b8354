#pragma once

#include <QPushButton>

namespace latchkey::ui::stories {

/// Creates a button with an object name for tests and a kind for the style sheet.
[[nodiscard]] inline QPushButton *makeButton(const char *name, const QString &text, const char *kind, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QLatin1String(kind));
    return button;
}

} // namespace latchkey::ui::stories

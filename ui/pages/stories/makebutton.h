#pragma once

#include <QPushButton>

namespace latchkey::ui::stories {

/// Creates a button with an object name for tests and a kind for the style sheet.
[[nodiscard]] inline QPushButton *makeButton(QAnyStringView name, const QString &text, QAnyStringView kind,
                                             QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(name.toString());
    button->setProperty("kind", kind.toString());
    return button;
}

} // namespace latchkey::ui::stories

#pragma once

#include <QString>

#include <initializer_list>
#include <utility>

class QSpinBox;
class QVariant;
class QVBoxLayout;
class QWidget;

// Lines of a form: labels and fields that read as a sentence.

namespace latchkey::ui::stories {

/// Space between the lines. All lines of the program's form fit into the smallest window.
inline constexpr int formLineSpacing = 5;

/// Adds a line of fields with their labels. The text fields share the width; without one, the line ends with a stretch.
/// An empty label is left out.
void addFormLine(QWidget &form, QVBoxLayout &lines, std::initializer_list<std::pair<QString, QWidget *>> parts);
/// Shows or hides a field together with its label.
void setFieldShown(QWidget &field, bool isShown);
/// Sets the value of a saved setting. Keeps the value if the setting is not a number.
void restoreCount(QSpinBox &count, const QVariant &saved);

} // namespace latchkey::ui::stories

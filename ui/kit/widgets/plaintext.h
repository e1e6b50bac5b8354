#pragma once

#include <QString>

#include <functional>

class QLabel;
class QWidget;

// Texts from a server or a client must be shown as plain text: in rich text, Qt would load the file of an <img>.

namespace latchkey::ui::widgets {

/// Creates a label for plain text.
[[nodiscard]] QLabel *makePlainLabel(const QString &objectName, const QString &text, QWidget *parent);

/// Sets the text of a word-wrapped label and reserves its height. A long word, such as a file path, can break at any
/// place, at invisible characters; otherwise it would overlap its neighbours. The minimum height is set because an open
/// dialog does not ask for the height for a width. `width`: least width of the label in pixels.
void setWrapped(QLabel &label, const QString &text, int width);

/// Sets the text of a word-wrapped label in a layout that asks for the height for a width. A long word can break at any
/// place, as in setWrapped(). `width`: least width of the label in pixels.
void setBreakable(QLabel &label, const QString &text, int width);

/// Sets the text of a dialog's label, wrapped to this width in pixels. Without wrapping, a dialog would be as wide as
/// its longest sentence, and wider than the smallest window. The font of the label must be set before.
void wrapAt(int width, QLabel &label, const QString &text);

/// Creates a label of a dialog; see wrapAt().
[[nodiscard]] QLabel *makeWrappedLabel(const QString &objectName, const QString &text, int width, QWidget *parent);

/// Breaks a text into lines no wider than `maxWidth`. Labels break at spaces only, and keys and tokens have none.
/// `widthOf`: width of one grapheme, in the unit of `maxWidth`.
[[nodiscard]] QString inLines(const QString &text, int maxWidth, const std::function<int(const QString &)> &widthOf);

/// Returns the text for a QToolTip, which would treat HTML-like text as HTML and load its pictures. The lines have at
/// most 80 characters, and their number fits on a screen. Empty for an empty text.
[[nodiscard]] QString toolTipText(const QString &text);

/// Formats a number in the language of the window, with separators of thousands.
[[nodiscard]] QString numberText(qint64 number);

} // namespace latchkey::ui::widgets

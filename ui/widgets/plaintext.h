#pragma once

#include <QString>

#include <functional>

class QLabel;
class QWidget;

// What comes from a server or a client is text, never markup: Qt would load the file behind an <img>.

namespace latchkey::ui::widgets {

/// A label that shows its text as it is.
[[nodiscard]] QLabel *makePlainLabel(const QString &objectName, const QString &text, QWidget *parent);

/// Gives a label that wraps another text, and takes the room for it. A very long word, such as the path of a file, can
/// be wrapped anywhere, at places that are not seen: else it would be painted over what stands beside. And the label's
/// least height is what it needs: a dialog that is open already does not ask how high it is at some width. width: that
/// the label has at the least.
void setWrapped(QLabel &label, const QString &text, int width);

/// The text in lines no wider than `most`. Labels wrap at spaces alone, of which keys and tokens have none.
/// widthOf: of one character as people count them (a grapheme), in whatever unit `most` has.
[[nodiscard]] QString inLines(const QString &text, int most, const std::function<int(const QString &)> &widthOf);

/// For QToolTip, which takes for HTML what looks like it and then loads its pictures: the text itself, in lines of at
/// most 80 characters, and no more of them than a screen can show. Nothing for an empty text.
[[nodiscard]] QString toolTipText(const QString &text);

/// The number in the window's language, with its separators of thousands.
[[nodiscard]] QString numberText(qint64 number);

} // namespace latchkey::ui::widgets

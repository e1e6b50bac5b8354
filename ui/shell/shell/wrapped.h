#pragma once

#include <QString>

class QLabel;

namespace latchkey::ui::shell {

/// Sets the text of a dialog's label, wrapped to this width in pixels. Without wrapping, a dialog would be as wide as
/// its longest sentence, and wider than the smallest window. The font of the label must be set before.
void wrapAt(int width, QLabel &label, const QString &text);

} // namespace latchkey::ui::shell

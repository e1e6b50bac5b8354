#pragma once

#include <QString>

class QLabel;

namespace latchkey::ui::shell {

/// Gives a label of a dialog its text, in lines of this width: without it a dialog is as wide as its longest sentence,
/// and wider than the smallest window. The label has its font by then.
void wrapAt(int width, QLabel &label, const QString &text);

} // namespace latchkey::ui::shell

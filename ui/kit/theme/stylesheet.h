#pragma once

#include "ui/kit/theme/theme.h"

#include <QPalette>
#include <QString>

namespace latchkey::ui::theme {

/// Returns the style sheet of the whole program in the colours of the theme. Dynamic properties select the style of a
/// widget, for example `kind = "primary"` for a button.
[[nodiscard]] QString styleSheet(const Theme &theme, double textScale = 1);

[[nodiscard]] QPalette palette(const Theme &theme);

} // namespace latchkey::ui::theme

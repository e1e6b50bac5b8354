#pragma once

#include "ui/theme/theme.h"

#include <QPalette>
#include <QString>

namespace latchkey::ui::theme {

/// The style sheet of the whole program in these colours; widgets say by dynamic properties what they are, for example
/// `kind = "primary"` for a button.
[[nodiscard]] QString styleSheet(const Theme &theme);

[[nodiscard]] QPalette palette(const Theme &theme);

} // namespace latchkey::ui::theme

#pragma once

#include "core/servers/savedconnection.h"
#include "ui/theme/theme.h"
#include "ui/widgets/pill.h"

#include <QString>

namespace latchkey::ui::servers {

/// Returns the text in the language of the window. Empty for Unspecified and None.
[[nodiscard]] QString textOf(latchkey::servers::Environment environment);
[[nodiscard]] QString textOf(latchkey::servers::ColourMark mark);
[[nodiscard]] widgets::Pill::Tone toneOf(latchkey::servers::Environment environment);
/// Returns an invalid colour for no mark.
[[nodiscard]] QColor colourOf(latchkey::servers::ColourMark mark, const theme::Theme &theme);

} // namespace latchkey::ui::servers

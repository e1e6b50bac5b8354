#pragma once

#include "core/servers/keptserver.h"
#include "ui/theme/theme.h"
#include "ui/widgets/pill.h"

#include <QString>

namespace latchkey::ui::servers {

/// In the words of the window; empty where nothing is said.
[[nodiscard]] QString textOf(latchkey::servers::Environment environment);
[[nodiscard]] QString textOf(latchkey::servers::Mark mark);
[[nodiscard]] widgets::Pill::Tone toneOf(latchkey::servers::Environment environment);
/// Invalid for none.
[[nodiscard]] QColor colourOf(latchkey::servers::Mark mark, const theme::Theme &theme);

} // namespace latchkey::ui::servers

#include "ui/views/diagram/diagramsubject.h"

#include <array>

namespace latchkey::ui::diagram {

using theme::Theme;

QColor laneColour(sequence::LaneIndex lane, const Theme &theme)
{
    // Hues that differ clearly from each other and from red.
    constexpr std::array hues {222, 280, 38, 186, 320, 88, 255, 150};
    const int hue = hues.at(lane % hues.size());
    const bool isDark = theme.scheme == theme::Scheme::Dark;
    return QColor::fromHsl(hue, isDark ? 170 : 165, isDark ? 165 : 105);
}

} // namespace latchkey::ui::diagram

#include "ui/kit/widgets/presenting.h"

#include <algorithm>

namespace latchkey::ui::widgets {

int presentedPixels(const QSize &window)
{
    constexpr double pixels = 28;
    constexpr QSize usual(1280, 720);
    constexpr int smallest = 18;
    constexpr int largest = 64;
    const double scale = std::min(static_cast<double>(window.width()) / usual.width(),
                                  static_cast<double>(window.height()) / usual.height());
    return std::clamp(static_cast<int>(pixels * scale), smallest, largest);
}

} // namespace latchkey::ui::widgets

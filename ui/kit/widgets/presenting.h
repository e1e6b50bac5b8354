#pragma once

#include <QSize>

namespace latchkey::ui::widgets {

/// Returns the text size in pixels of a presentation that fills a window. The size is 28 at 1280 x 720, which is
/// readable at three metres, and proportional to the window between the limits 18 and 64.
[[nodiscard]] int presentedPixels(const QSize &window);

} // namespace latchkey::ui::widgets

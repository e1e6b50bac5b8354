#pragma once

#include <QSize>

namespace latchkey::ui::widgets {

/// Returns the text size in pixels of a presentation that fills a window. The size is at least 28 at 1280 x 720, which
/// is readable at three metres, and proportional to the window.
[[nodiscard]] int presentedPixels(const QSize &window);

} // namespace latchkey::ui::widgets

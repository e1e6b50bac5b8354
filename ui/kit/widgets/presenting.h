#pragma once

#include <QSize>

namespace latchkey::ui::widgets {

/// Returns the size in pixels of the text of a presentation that fills a window: at least 28 at 1280 x 720, which can
/// be read at three metres, and in proportion to a smaller or larger window.
[[nodiscard]] int presentedPixels(const QSize &window);

} // namespace latchkey::ui::widgets

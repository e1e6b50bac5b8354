#pragma once

#include <QSize>

namespace latchkey::ui::shell {

/// How large the window wants to be, and how small it can be made, on a screen of that size.
struct WindowSizes
{
    QSize first;
    QSize smallest;
};

/// available: what the screen has for windows, without the desktop's panels; frame: what the window's own border and
/// title take of it. Nothing is larger than fits.
[[nodiscard]] WindowSizes windowSizesFor(QSize available, QSize frame);

} // namespace latchkey::ui::shell

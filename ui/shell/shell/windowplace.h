#pragma once

#include <QSize>

namespace latchkey::ui::shell {

/// The initial and the smallest size of the window on a screen.
struct WindowSizes
{
    QSize first;
    QSize smallest;
};

/// Computes the sizes. `available`: area of the screen without the panels of the desktop. `frame`: size of the window
/// frame and title. The window never exceeds the available area.
[[nodiscard]] WindowSizes windowSizesFor(QSize available, QSize frame);

} // namespace latchkey::ui::shell

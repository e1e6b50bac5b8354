#include "ui/shell/shell/windowplace.h"

namespace latchkey::ui::shell {

WindowSizes windowSizesFor(QSize available, QSize frame)
{
    constexpr QSize wanted(1280, 800);
    constexpr QSize smallest(960, 560);
    const QSize room = available - frame;
    return {wanted.boundedTo(room), smallest.boundedTo(room)};
}

} // namespace latchkey::ui::shell

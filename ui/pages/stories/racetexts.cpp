#include "ui/pages/stories/racetexts.h"

#include <QLocale>

namespace latchkey::ui::stories {

namespace {

/// From this value on, only the order of magnitude is displayed.
constexpr double mostExact = 1e15;

} // namespace

QString grouped(double count)
{
    return count < mostExact ? QLocale().toString(count, 'f', 0) : QString::number(count, 'g', 3);
}

} // namespace latchkey::ui::stories

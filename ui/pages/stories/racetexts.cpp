#include "ui/pages/stories/racetexts.h"

#include <QLocale>

namespace latchkey::ui::stories {

namespace {

/// From this value on, only the order of magnitude is displayed.
constexpr double maxExact = 1e15;

} // namespace

QString grouped(double count)
{
    return count < maxExact ? QLocale().toString(count, 'f', 0) : QString::number(count, 'g', 3);
}

} // namespace latchkey::ui::stories

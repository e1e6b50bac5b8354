#pragma once

#include <QString>

// The texts that the two panels of the race finder share.

namespace latchkey::ui::stories {

/// Formats a count: exact up to a readable size, then as an order of magnitude.
[[nodiscard]] QString grouped(double count);

} // namespace latchkey::ui::stories

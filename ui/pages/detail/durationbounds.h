#pragma once

#include <QString>

#include <chrono>

namespace latchkey::ui::detail {

/// Returns whether both bounds of a time are the same within the precision of its text.
[[nodiscard]] bool isExact(std::chrono::nanoseconds shortest, std::chrono::nanoseconds longest);
/// Returns a time between two bounds, as one time if they are about the same: "5 s", "5 s to 15 s".
[[nodiscard]] QString boundsText(std::chrono::nanoseconds shortest, std::chrono::nanoseconds longest);

} // namespace latchkey::ui::detail

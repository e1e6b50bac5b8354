#pragma once

#include <QString>

namespace latchkey::ui::widgets {

/// Returns a part of a sentence that has its own writing direction: a duration, a number with its unit, or a key.
///
/// Unicode isolates protect the part: in a right-to-left window, "7.342 s" would be displayed as "s 7.342". In a
/// left-to-right window, a part without right-to-left characters is unchanged, so that copied text contains no
/// isolates.
[[nodiscard]] QString isolated(const QString &part);

} // namespace latchkey::ui::widgets

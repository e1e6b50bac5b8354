#pragma once

#include <QString>

namespace latchkey::ui::widgets {

/// A part of a sentence that has a direction of its own: a duration, a number with its unit, somebody's key.
///
/// Between Unicode's isolates neither tears the other apart: in a window that reads from right to left "7.342 s" would
/// come out as "s 7.342". Left as it is where nothing reads from right to left, so that copied text has no such marks.
[[nodiscard]] QString isolated(const QString &part);

} // namespace latchkey::ui::widgets

#pragma once

#include "core/inspect/history/hold.h"

#include <QJsonObject>

namespace latchkey::history {

/// Returns the word of `watch` for the end of a lock: `expired`, `released` …; `ended` if unknown.
[[nodiscard]] QLatin1String endWord(events::Ending ending, events::Source source);
/// Returns the word of `watch` for the end of the hold, `handed-over` included.
[[nodiscard]] QLatin1String endWord(const Hold &hold);

/// Returns the hold as JSON, as in the history of `why`. The key is not included. Uncertainties are rounded up.
[[nodiscard]] QJsonObject toJson(const Hold &hold, base::MonotonicTime now, base::WallTime wallNow);

} // namespace latchkey::history

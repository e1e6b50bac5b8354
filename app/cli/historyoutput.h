#pragma once

#include "core/history/history.h"
#include "core/keyspace/eventsource.h"

#include <QJsonObject>

namespace latchkey::cli {

/// How a lock went, in the word of `watch`'s events: `expired`, `released` …; `ended` where that is not known.
[[nodiscard]] QLatin1String endWord(keyspace::Ending ending, keyspace::Source source);

/// How it was learnt of changes: `notifications`, `tracking`, `polling`.
[[nodiscard]] QString meansName(keyspace::EventSource::Means means);

/// The holds of one lock that were seen, the oldest first.
struct SeenHolds
{
    const std::deque<history::Hold> &holds;
    const std::vector<history::History::Gap> &gaps;
    keyspace::EventSource::Means means = keyspace::EventSource::Means::None;
    history::Statistics statistics;
    std::chrono::nanoseconds watched {};
    base::MonotonicTime now; ///< The end of that time.
    base::WallTime wallNow;
};

/// `{watched_ms, means, holds: [...], gaps: [...], statistics: {...}}`
[[nodiscard]] QJsonObject toJson(const SeenHolds &seen);

/// For people, a line for each hold and each gap, what they come to, and a line for what was watched.
[[nodiscard]] QStringList textLines(const SeenHolds &seen);

} // namespace latchkey::cli

#pragma once

#include "core/inspect/history/history.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/watching/eventsource.h"

#include <QJsonObject>

namespace latchkey::cli {

/// Returns the source of changes: `notifications`, `tracking`, `polling`.
[[nodiscard]] QString mechanismName(watching::EventSource::Mechanism mechanism);

/// The observed holds of one lock, the oldest first.
struct ObservedHolds
{
    const std::deque<history::Hold> &holds;
    const std::vector<history::History::Gap> &gaps;
    watching::EventSource::Mechanism mechanism = watching::EventSource::Mechanism::None;
    history::Statistics statistics;
    std::chrono::nanoseconds watched {}; ///< Duration of the observation.
    base::MonotonicTime now;             ///< End of the observation.
    base::WallTime wallNow;
    recognition::Recognition recognition {}; ///< Last recognition as a lock during the observation; without candidates
                                             ///< if the key was no lock.
};

/// Returns `{watched_ms, means, holds: [...], gaps: [...], statistics: {...}}`.
[[nodiscard]] QJsonObject toJson(const ObservedHolds &observed);

/// Returns text lines: one per hold and gap, the statistics, and a line about the observation.
[[nodiscard]] QStringList textLines(const ObservedHolds &observed);

} // namespace latchkey::cli

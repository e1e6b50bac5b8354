#include "core/inspect/inspection/firstseen.h"

namespace latchkey::inspection {

namespace {

/// Returns the end of the last interval in which the server was a replica with missing keys; max(): it still lasts.
base::MonotonicTime staleUntil(const watching::WatchStatus &watcher)
{
    base::MonotonicTime until;
    const events::Coverage coverage = watcher.coverage();
    for (const events::Coverage::Gap &gap : coverage.parts().gaps) {
        if (gap.why.kind == base::ErrorKind::StaleReplica)
            until = std::max(until, gap.to.value_or(base::MonotonicTime::max()));
    }
    return until;
}

/// Returns whether the notification reports a change from the time in which all changes are reported. A notification
/// that arrives at the beginning of that time may report an earlier change.
bool isOfReportedTime(InspectedServer &server, const events::Observation &notification)
{
    constexpr std::chrono::seconds minDelay {1};
    const events::EventCoverage reported = server.keyEventTracker().eventCoverage(notification.node);
    const auto delay = std::max<std::chrono::nanoseconds>(server.events().delay().value_or(minDelay), minDelay);
    return reported.depth != events::EventCoverage::Depth::None && notification.answered - delay > reported.since;
}

} // namespace

std::optional<base::MonotonicTime> absentBefore(InspectedServer &server, const events::Observation &observation)
{
    const watching::Watcher &watcher = server.watcher();
    const bool isNew = watcher.phase() == watching::Watcher::Phase::Watching && !watcher.isIncomplete()
                    && !server.store().known().table.find(observation.key);
    if (!isNew)
        return std::nullopt;
    auto absent = watcher.lastScanBegan();
    if (std::holds_alternative<events::ChangeNotification>(observation.content)
        && isOfReportedTime(server, observation))
        absent =
            server.keyEventTracker().eventCoverage(observation.node).since; // All earlier changes were announced too.
    // A replica loads the keys of its primary without announcing them.
    const base::MonotonicTime stale = staleUntil(watcher);
    if (absent && *absent < stale)
        absent = watcher.lastScanBegan();
    return absent && *absent >= stale ? absent : std::nullopt;
}

void followFound(InspectedServer &server, const QByteArray &key, keys::KeyId id)
{
    const keys::KeyTable &table = server.store().known().table;
    server.keyEventTracker().followFound(key, std::nullopt, table.deadline(id),
                                         {table.sampled(id), server.clock().now()}, server.watcher().discoverySource());
}

} // namespace latchkey::inspection

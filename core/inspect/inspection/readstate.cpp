#include "core/inspect/inspection/readstate.h"

#include <algorithm>

namespace latchkey::inspection {

using events::Coverage;
using events::KeyRequest;

namespace {

bool isUnseen(const Coverage::Gap &interval)
{
    return !interval.request && interval.why.kind != base::ErrorKind::StaleReplica;
}

/// Returns whether a complete scan after the refusal, without other refusals, has not returned the key.
bool isAbsent(const keys::UnreadableKey &key, const watching::WatchStatus &watcher, const Coverage &coverage)
{
    const bool isDenied = std::ranges::any_of(coverage.denied(), [](const Coverage::Denial &denial) {
        return denial.request == KeyRequest::Names || denial.request == KeyRequest::Expiry;
    });
    const auto scanned = watcher.lastScanBegan();
    return !isDenied && coverage.isScanComplete() && scanned && *scanned > key.refusedAt;
}

} // namespace

std::optional<Coverage::Gap> unreadInterval(const watching::WatchStatus &watcher)
{
    const Coverage coverage = watcher.coverage();
    const auto &all = coverage.parts().gaps;
    const auto open = std::ranges::find_if(all, [](const Coverage::Gap &each) { return !each.to && isUnseen(each); });
    return open == all.end() ? std::nullopt : std::optional(*open);
}

std::optional<base::MonotonicTime> unreadSince(InspectedServer &server, const QByteArray &key)
{
    const keys::KnownKeys &known = server.store().known();
    const auto id = known.table.find(key);
    if (!id || !known.isLive(*id))
        return std::nullopt;
    const base::MonotonicTime read = known.table.sampled(*id) + keys::KeyTable::sampledResolution;
    std::optional<base::MonotonicTime> since;
    const Coverage coverage = server.watcher().coverage();
    for (const Coverage::Gap &each : coverage.parts().gaps) {
        if (each.to && isUnseen(each) && *each.to > read)
            since = std::min(since.value_or(each.from), each.from);
    }
    return since;
}

std::optional<keys::UnreadableKey> unreadableKey(InspectedServer &server, const QByteArray &key)
{
    const keys::UnreadableKey *found = server.store().unreadable().find(key);
    return found != nullptr && !isAbsent(*found, server.watcher(), server.watcher().coverage()) ? std::optional(*found)
                                                                                                : std::nullopt;
}

qint64 unreadableCount(InspectedServer &server, const QList<QByteArray> &keys)
{
    const keys::UnreadableKeys &unreadable = server.store().unreadable();
    if (unreadable.isEmpty())
        return 0;
    const Coverage coverage = server.watcher().coverage();
    return std::ranges::count_if(keys, [&](const QByteArray &key) {
        const keys::UnreadableKey *found = unreadable.find(key);
        return found != nullptr && !isAbsent(*found, server.watcher(), coverage);
    });
}

} // namespace latchkey::inspection

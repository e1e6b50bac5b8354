#include "core/inspect/findings/rule.h"

namespace latchkey::findings {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Minimum lease that outlasts a restart. Shorter leases have usually expired when a server is back.
constexpr milliseconds longLease = 10min;

/// Returns whether the lock outlasts a restart of the server.
bool isLong(const LockEvidence &subject)
{
    const milliseconds lease = std::max(subject.sample.left.value_or(0ms), subject.sample.ttlHistory.longestTtl());
    return subject.isPersistent() || lease >= longLease;
}

std::optional<Finding> mayBeEvicted(const LockEvidence &subject)
{
    const ServerProperties &server = subject.server;
    const bool isAny = server.evictionPolicy.startsWith("allkeys-");
    const bool isVolatile = server.evictionPolicy.startsWith("volatile-") && subject.sample.left.has_value();
    if (server.memoryLimit.value_or(0) == 0 || (!isAny && !isVolatile))
        return std::nullopt;
    const qint64 evicted = server.evictedKeys.value_or(0);
    return Finding {FindingKind::MayBeEvicted, evicted > 0 ? Severity::Error : Severity::Warning, true,
                    server.evictionPolicy, evicted};
}

std::optional<Finding> lostByFailover(const LockEvidence &subject)
{
    const ServerProperties &server = subject.server;
    if (server.replicas.value_or(0) == 0 || server.replicasToWrite.value_or(1) > 0)
        return std::nullopt;
    return Finding {FindingKind::LostByFailover, Severity::Warning, true, {}, *server.replicas};
}

std::optional<Finding> readFromReplica(const LockEvidence &subject)
{
    if (!subject.server.isReplica.value_or(false))
        return std::nullopt;
    return Finding {FindingKind::ReadFromReplica, Severity::Info};
}

std::optional<Finding> lostByRestart(const LockEvidence &subject)
{
    const ServerProperties &server = subject.server;
    const milliseconds lease = std::max(subject.sample.left.value_or(0ms), subject.sample.ttlHistory.longestTtl());
    if (!isLong(subject) || server.keepsLog.value_or(true) || server.takesSnapshots.value_or(true))
        return std::nullopt;
    return Finding {FindingKind::LostByRestart, Severity::Warning, true, {}, 0, lease};
}

/// Reports the kinds above that depend on a setting that the server does not report.
std::optional<Finding> notChecked(const LockEvidence &subject)
{
    const ServerProperties &server = subject.server;
    if (!server.wasAsked)
        return std::nullopt;
    qint64 kinds = 0;
    const auto add = [&kinds](FindingKind kind, bool isUnknown) {
        if (isUnknown)
            kinds |= 1LL << static_cast<int>(kind);
    };
    add(FindingKind::MayBeEvicted, server.memoryLimit != 0 && (!server.memoryLimit || server.evictionPolicy.isEmpty()));
    add(FindingKind::LostByFailover, !server.replicas || (*server.replicas > 0 && !server.replicasToWrite));
    add(FindingKind::ReadFromReplica, !server.isReplica);
    add(FindingKind::LostByRestart,
        isLong(subject) && (!server.keepsLog || (!*server.keepsLog && !server.takesSnapshots)));
    if (kinds == 0)
        return std::nullopt;
    return Finding {FindingKind::NotChecked, Severity::Info, true, {}, kinds};
}

} // namespace

std::vector<Rule> serverRules()
{
    return {&mayBeEvicted, &lostByFailover, &readFromReplica, &lostByRestart, &notChecked};
}

} // namespace latchkey::findings

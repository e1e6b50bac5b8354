#include "core/inspect/findings/rule.h"

namespace latchkey::findings {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Minimum lease that outlasts a restart. Shorter leases have usually expired when a server is back.
constexpr milliseconds longLease = 10min;

std::optional<Finding> mayBeEvicted(const LockEvidence &subject)
{
    const ServerFacts &server = subject.server;
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
    const ServerFacts &server = subject.server;
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
    const ServerFacts &server = subject.server;
    const milliseconds lease = std::max(subject.sample.left.value_or(0ms), subject.sample.ttlCourse.longestTtl());
    const bool isLong = subject.isEndless() || lease >= longLease;
    if (!isLong || server.keepsLog.value_or(true) || server.takesSnapshots.value_or(true))
        return std::nullopt;
    return Finding {FindingKind::LostByRestart, Severity::Warning, true, {}, 0, lease};
}

} // namespace

std::vector<Rule> serverRules()
{
    return {&mayBeEvicted, &lostByFailover, &readFromReplica, &lostByRestart};
}

} // namespace latchkey::findings

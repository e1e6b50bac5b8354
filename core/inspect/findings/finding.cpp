#include "core/inspect/findings/rule.h"

#include <algorithm>
#include <array>

namespace latchkey::findings {

namespace {

constexpr std::array<const char *, kindCount> ids {
    "no-expiry",         "constant-value",    "past-deadline",    "skewed-deadline",      "stale-queue",
    "signal-left",       "fencing-went-back", "fencing-expires",  "no-fencing",           "shared-id",
    "predictable-token", "leaked-permits",    "one-of-many",      "plain-delete",         "not-atomic",
    "blind-renewal",     "losers-prolong",    "taken-over",       "expired-under-holder", "recreated",
    "orphan-renewal",    "lease-too-short",   "holder-gone",      "may-be-evicted",       "lost-by-failover",
    "read-from-replica", "lost-by-restart",   "limit-not-stored", "unlocked-job",         "several-holders",
    "not-checked"};

} // namespace

std::vector<Finding> findingsOf(const LockEvidence &subject)
{
    static const std::vector<Rule> rules = [] {
        std::vector<Rule> all;
        for (const auto &family : {keyRules(), historyRules(), serverRules()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    std::vector<Finding> found;
    for (const Rule rule : rules) {
        if (auto finding = rule(subject))
            found.push_back(std::move(*finding));
    }
    std::ranges::stable_sort(found, std::greater {}, &Finding::severity);
    return found;
}

QString kindId(FindingKind kind)
{
    return QString::fromLatin1(ids[static_cast<std::size_t>(kind)]);
}

QString severityId(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return QStringLiteral("info");
    case Severity::Warning:
        return QStringLiteral("warning");
    case Severity::Error:
        return QStringLiteral("error");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::findings

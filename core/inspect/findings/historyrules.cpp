#include "core/inspect/findings/rule.h"

#include <algorithm>

namespace latchkey::findings {

using recognition::Hazard;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Longest time between SETNX and EXPIRE. After that, a key counts as having no expiry on purpose.
constexpr milliseconds maxGap = 5s;
/// Longest time between an expiry and the next acquisition by a client that was waiting for the lock.
constexpr milliseconds succession = 1s;

/// Returns the finding of a trace, otherwise a finding from the known hazard of the library.
std::optional<Finding> tracedOrKnown(const LockEvidence &subject, TracedAction::Kind what, FindingKind kind,
                                     Severity severity, Hazard hazard)
{
    const auto found = std::ranges::find(subject.traced, what, &TracedAction::kind);
    if (found != subject.traced.end())
        return Finding {kind, severity, true, found->client, found->hasReadHolder ? 1 : 0};
    if (subject.isSure() && subject.dialect.has(hazard))
        return Finding {kind, Severity::Warning, false};
    return std::nullopt;
}

std::optional<Finding> plainDelete(const LockEvidence &subject)
{
    return tracedOrKnown(subject, TracedAction::Kind::PlainDelete, FindingKind::PlainDelete, Severity::Error,
                         Hazard::PlainDelete);
}

std::optional<Finding> uncheckedRenewal(const LockEvidence &subject)
{
    return tracedOrKnown(subject, TracedAction::Kind::UncheckedRenewal, FindingKind::UncheckedRenewal,
                         Severity::Warning, Hazard::UncheckedRenewal);
}

std::optional<Finding> notAtomic(const LockEvidence &subject)
{
    const auto gap = subject.sample.ttlHistory.hadNoneFor();
    if (gap && *gap <= maxGap)
        return Finding {FindingKind::NotAtomic, Severity::Error, true, {}, 0, *gap};
    return tracedOrKnown(subject, TracedAction::Kind::SeparateExpire, FindingKind::NotAtomic, Severity::Error,
                         Hazard::NotAtomic);
}

/// Finds contenders that extend the lease after a failed acquire. Only a trace proves this, because every watchdog
/// extends leases. Without a trace, only irregular extension of a lock that names no holder is suspicious.
std::optional<Finding> contenderExtends(const LockEvidence &subject)
{
    const auto found = std::ranges::find(subject.traced, TracedAction::Kind::ForeignExpire, &TracedAction::kind);
    if (found != subject.traced.end())
        return Finding {FindingKind::ExtendedByContender, Severity::Error, true, found->client};
    const recognition::TtlHistory &ttlHistory = subject.sample.ttlHistory;
    if (!ttlHistory.isErratic() || subject.decoded().isHolderRecorded || subject.dialect.renewal.isGiven())
        return std::nullopt;
    return Finding {FindingKind::ExtendedByContender, Severity::Warning,         false, {}, ttlHistory.renewals(),
                    ttlHistory.shortestPeriod(),      ttlHistory.longestPeriod()};
}

/// Returns whether the change is a takeover. Another value alone proves nothing: a release and an acquisition may lie
/// in between. The lock was replaced if the server has reported no end, or if a new deadline replaced one that had
/// passed. A deadline that had not passed may have been extended by its holder.
bool isTakeOver(const ValueChange &change)
{
    if (change.before && change.after)
        return *change.before < change.at && change.at < *change.after;
    return change.hadEvents;
}

std::optional<Finding> takenOver(const LockEvidence &subject)
{
    const auto swap = std::ranges::find(subject.traced, TracedAction::Kind::Swap, &TracedAction::kind);
    if (swap != subject.traced.end())
        return Finding {FindingKind::TakenOver, Severity::Error, true, swap->client};
    const auto times = std::ranges::count_if(subject.changes, &isTakeOver);
    if (times > 0)
        return Finding {FindingKind::TakenOver, Severity::Error, true, {}, times};
    if (subject.isSure() && subject.dialect.has(Hazard::TakesOverByGetset))
        return Finding {FindingKind::TakenOver, Severity::Warning, false};
    return std::nullopt;
}

/// Returns each hold with its successor, including the current hold. A client that acquires right after an expired hold
/// was waiting: the first holder did not release in time.
std::vector<std::pair<PastHold, PastHold>> successions(const LockEvidence &subject)
{
    std::vector<std::pair<PastHold, PastHold>> found;
    for (std::size_t i = 0; i + 1 < subject.past.size(); ++i)
        found.emplace_back(subject.past[i], subject.past[i + 1]);
    if (subject.present && !subject.past.empty())
        found.emplace_back(subject.past.back(), *subject.present);
    return found;
}

std::optional<Finding> expiredUnderHolder(const LockEvidence &subject)
{
    qint64 times = 0;
    milliseconds lease {};
    for (const auto &[hold, next] : successions(subject)) {
        const bool isAnother = hold.holder.isEmpty() || hold.holder != next.holder;
        if (hold.end == PastHold::End::Expired && isAnother && next.from - hold.to <= succession) {
            ++times;
            lease = hold.lease;
        }
    }
    if (times == 0)
        return std::nullopt;
    return Finding {FindingKind::ExpiredUnderHolder, Severity::Error, true, {}, times, lease};
}

std::optional<Finding> recreated(const LockEvidence &subject)
{
    for (const auto &[hold, next] : successions(subject)) {
        const bool isSame = !hold.holder.isEmpty() && hold.holder == next.holder;
        if (hold.end == PastHold::End::Expired && hold.isEndObserved && isSame)
            return Finding {FindingKind::Recreated, Severity::Warning, true, hold.holder};
    }
    if (subject.isSure() && subject.dialect.has(Hazard::Recreates))
        return Finding {FindingKind::Recreated, Severity::Info, false};
    return std::nullopt;
}

milliseconds durationOf(const PastHold &hold)
{
    return std::chrono::round<milliseconds>(hold.to - hold.from);
}

/// Finds a lock that is renewed repeatedly, for far longer than it was ever held before.
std::optional<Finding> orphanRenewal(const LockEvidence &subject)
{
    constexpr std::size_t enough = 3;
    if (!subject.sample.ttlHistory.isSteady() || subject.past.size() < enough)
        return std::nullopt;
    milliseconds longest {};
    for (const PastHold &hold : subject.past)
        longest = std::max(longest, durationOf(hold));
    if (subject.heldFor < std::max<milliseconds>(longest * 5, 10min))
        return std::nullopt;
    return Finding {FindingKind::OrphanRenewal, Severity::Warning, false, {}, 0, subject.heldFor, longest};
}

/// Finds a lease that one hold in ten nearly uses up without a renewal, so that a slower hold will exceed the lease.
std::optional<Finding> leaseTooShort(const LockEvidence &subject)
{
    constexpr std::size_t enough = 10;
    std::vector<milliseconds> durations;
    milliseconds lease {};
    for (const PastHold &hold : subject.past) {
        if (hold.end != PastHold::End::Released || hold.lease.count() == 0 || hold.renewals > 0)
            continue;
        durations.push_back(durationOf(hold));
        lease = hold.lease;
    }
    if (durations.size() < enough)
        return std::nullopt;
    std::ranges::sort(durations);
    const milliseconds usual = durations[durations.size() * 9 / 10];
    if (usual * 10 < lease * 8)
        return std::nullopt;
    return Finding {
        FindingKind::LeaseTooShort, Severity::Warning, true, {}, static_cast<qint64>(durations.size()), usual, lease};
}

std::optional<Finding> holderGone(const LockEvidence &subject)
{
    if (subject.holderClient.isEmpty() || subject.isHolderConnected.value_or(true))
        return std::nullopt;
    return Finding {FindingKind::HolderGone, Severity::Warning, false, subject.holderClient};
}

} // namespace

std::vector<Rule> historyRules()
{
    return {&plainDelete,        &notAtomic, &uncheckedRenewal, &contenderExtends, &takenOver,
            &expiredUnderHolder, &recreated, &orphanRenewal,    &leaseTooShort,    &holderGone};
}

} // namespace latchkey::findings

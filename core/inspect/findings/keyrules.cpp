#include "core/inspect/findings/rule.h"

#include "core/inspect/recognition/templates.h"

#include <algorithm>

namespace latchkey::findings {

using recognition::Family;
using recognition::Hazard;
using recognition::Holder;
using recognition::LockContent;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Tolerance between deadlines. Deadlines in whole seconds are rounded, and many libraries add one second on purpose.
constexpr milliseconds tolerance = 2s;

std::optional<Finding> noExpiry(const LockEvidence &subject)
{
    const Family family = subject.dialect.family;
    const bool isHeld = family == Family::Lock || family == Family::ReadWriteLock || family == Family::Leader
                     || family == Family::Uniqueness || family == Family::Semaphore;
    if (!subject.isPersistent() || !isHeld)
        return std::nullopt;
    const LockContent &decoded = subject.decoded();
    const bool endsByItsValue =
        decoded.deadline.has_value()
        || std::ranges::any_of(decoded.holders, [](const Holder &holder) { return holder.until.has_value(); });
    Finding finding {FindingKind::NoExpiry};
    finding.severity = endsByItsValue || family == Family::Semaphore ? Severity::Warning : Severity::Error;
    finding.time = std::max(subject.heldFor, subject.sample.existedFor);
    return finding;
}

std::optional<Finding> constantValue(const LockEvidence &subject)
{
    if (!subject.decoded().isConstant)
        return std::nullopt;
    return Finding {FindingKind::ConstantValue, Severity::Error, true, subject.sample.value->bytes()};
}

/// Finds a lock with a past deadline in its value. The next client may take the lock; until then the lock has no valid
/// holder.
std::optional<Finding> pastDeadline(const LockEvidence &subject)
{
    const auto deadline = subject.decoded().deadline;
    if (!deadline || !subject.isPersistent() || *deadline + tolerance > subject.sample.now)
        return std::nullopt;
    return Finding {FindingKind::PastDeadline, Severity::Warning, true, {}, 0, subject.sample.now - *deadline};
}

/// Finds a lock with different deadlines of key and value: one of two clocks is wrong.
std::optional<Finding> skewedDeadline(const LockEvidence &subject)
{
    const auto deadline = subject.decoded().deadline;
    if (!deadline || !subject.sample.left)
        return std::nullopt;
    const milliseconds ahead = *deadline - (subject.sample.now + *subject.sample.left);
    if (std::chrono::abs(ahead) <= tolerance)
        return std::nullopt;
    return Finding {FindingKind::SkewedDeadline, Severity::Warning, true, {}, 0, ahead};
}

std::optional<Finding> staleQueue(const LockEvidence &subject)
{
    const auto dead = std::ranges::count_if(subject.decoded().waiters, [&](const recognition::Waiter &waiter) {
        return waiter.until && *waiter.until < subject.sample.now;
    });
    if (dead == 0)
        return std::nullopt;
    return Finding {FindingKind::StaleQueue, Severity::Info, true, {}, dead};
}

/// Finds a list that should wake one waiter, but exists while the lock is held.
std::optional<Finding> signalLeft(const LockEvidence &subject)
{
    for (auto it = subject.sample.companions.cbegin(); it != subject.sample.companions.cend(); ++it) {
        const bool isSignal = it.key().contains("lock-signal:") || it.key().contains("lock.event:");
        if (isSignal && it->exists)
            return Finding {FindingKind::StaleSignal, Severity::Info, true, it.key()};
    }
    return std::nullopt;
}

/// Returns the counter of fencing tokens, if it was read.
const recognition::Companion *fencingCounter(const LockEvidence &subject)
{
    const QByteArray &lock = subject.sample.key;
    for (const QByteArray &name :
         {recognition::redissonFencingCounter(lock), recognition::latchkeyFencingCounter(lock)}) {
        if (const auto found = subject.sample.companions.constFind(name); found != subject.sample.companions.cend())
            return &*found;
    }
    return nullptr;
}

std::optional<Finding> fencingWentBack(const LockEvidence &subject)
{
    // The attempt number of a job restarts with the next job of the same name.
    if (!subject.fencingBefore || subject.dialect.family == Family::Job)
        return std::nullopt;
    const recognition::Companion *counter = fencingCounter(subject);
    const auto number = subject.decoded().fencing;
    const bool hasVanished = counter != nullptr && !counter->exists;
    if (!hasVanished && (!number || *number >= *subject.fencingBefore))
        return std::nullopt;
    Finding finding {FindingKind::FencingDecreased, Severity::Error};
    finding.number = *subject.fencingBefore;
    finding.text = hasVanished ? QByteArray() : QByteArray::number(*number);
    return finding;
}

std::optional<Finding> fencingExpires(const LockEvidence &subject)
{
    const recognition::Companion *counter = fencingCounter(subject);
    if (counter == nullptr || !counter->exists || !counter->left)
        return std::nullopt;
    return Finding {FindingKind::FencingExpires, Severity::Error, true, {}, 0, *counter->left};
}

/// Returns a known property of the library, if the library is recognised with high confidence.
template<Hazard hazard, FindingKind kind, Severity severity>
std::optional<Finding> knownFor(const LockEvidence &subject)
{
    if (!subject.isSure() || !subject.dialect.has(hazard))
        return std::nullopt;
    return Finding {kind, severity, false};
}

/// Finds a semaphore without a stored limit. A lock with several holders at once is certainly a semaphore, and its key
/// does not contain the limit.
std::optional<Finding> limitNotStored(const LockEvidence &subject)
{
    const bool isSemaphore =
        subject.dialect.family == Family::Semaphore || subject.sample.type == keys::KeyType::SortedSet;
    if (!isSemaphore || !subject.dialect.has(Hazard::UnstoredLimit))
        return std::nullopt;
    if (const qint64 holders = subject.decoded().holdCount(); holders > 1)
        return Finding {FindingKind::LimitNotStored, Severity::Info, true, {}, holders};
    return knownFor<Hazard::UnstoredLimit, FindingKind::LimitNotStored, Severity::Info>(subject);
}

std::optional<Finding> severalHolders(const LockEvidence &subject)
{
    if (!subject.decoded().isOverfull)
        return std::nullopt;
    return Finding {
        FindingKind::SeveralHolders, Severity::Error, true, {}, static_cast<qint64>(subject.decoded().holders.size())};
}

std::optional<Finding> unlockedJob(const LockEvidence &subject)
{
    if (subject.unlockedJobs.isEmpty())
        return std::nullopt;
    return Finding {FindingKind::UnlockedJob, Severity::Warning, true, subject.unlockedJobs.front(),
                    subject.unlockedJobs.size()};
}

std::optional<Finding> leakedPermits(const LockEvidence &subject)
{
    auto finding = knownFor<Hazard::LeaksPermits, FindingKind::LeakedPermits, Severity::Info>(subject);
    // Held for longer than any realistic work, and the holder is not recorded.
    if (finding && subject.heldFor > 1h && !subject.decoded().isHolderRecorded) {
        finding->severity = Severity::Warning;
        finding->time = subject.heldFor;
    }
    return finding;
}

} // namespace

std::vector<Rule> keyRules()
{
    return {
        &noExpiry,
        &constantValue,
        &severalHolders,
        &pastDeadline,
        &skewedDeadline,
        &staleQueue,
        &signalLeft,
        &fencingWentBack,
        &fencingExpires,
        &knownFor<Hazard::NoFencing, FindingKind::NoFencing, Severity::Info>,
        &knownFor<Hazard::SharedId, FindingKind::SharedId, Severity::Info>,
        &knownFor<Hazard::Predictable, FindingKind::PredictableToken, Severity::Info>,
        &leakedPermits,
        &limitNotStored,
        &unlockedJob,
        &knownFor<Hazard::Quorum, FindingKind::OneOfMany, Severity::Info>,
    };
}

} // namespace latchkey::findings

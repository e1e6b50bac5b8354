#include "core/inspect/expectations/expectationevaluator.h"

#include <algorithm>

namespace latchkey::expectations {

using base::MonotonicTime;
using events::Ending;
using events::Exists;
using events::Gone;
using events::KeyEvent;
using std::chrono::nanoseconds;
using Kind = Expectation::Kind;
using Outcome = Verdict::Outcome;
using Type = KeyEvent::Type;
using Why = Verdict::Why;

namespace {

Verdict verdictOf(Outcome outcome, Why why)
{
    Verdict verdict;
    verdict.outcome = outcome;
    verdict.why = why;
    return verdict;
}

/// Returns the verdict as Unknown, because there was a gap in the observation.
Verdict asUnknown(Verdict verdict)
{
    verdict.outcome = Outcome::Unknown;
    verdict.why = Why::MayHaveComeBack;
    return verdict;
}

/// Returns the severity. The most severe verdict counts for the key.
int weight(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Open:
        return 0;
    case Outcome::Holds:
        return 1;
    case Outcome::Unknown:
        return 2;
    case Outcome::Fails:
        return 3;
    }
    Q_UNREACHABLE();
}

} // namespace

void ExpectationEvaluator::begin(const base::TimeInterval &at, bool isWritten,
                                 const std::optional<base::Deadline> &deadline)
{
    KeyLifetime lifetime;
    lifetime.began = at;
    lifetime.isWritten = isWritten;
    lifetime.lastThere = at.earliest;
    lifetime.lastSameEnd = at.earliest;
    lifetime.deadline = deadline;
    lifetime.renewed = at;
    if (deadline && deadline->isNever())
        lifetime.withoutExpiry = at;
    m_lifetime = lifetime;
    m_wasSeen = true;
    m_writes.dropUntil(at.latest);
}

void ExpectationEvaluator::add(const events::Observation &observation)
{
    if (std::holds_alternative<Gone>(observation.content)) {
        m_foundGone = observation.asked;
        return; // The tracker reports how and when the key ended.
    }
    if (const auto *notification = std::get_if<events::ChangeNotification>(&observation.content);
        notification && m_expectation.isAfterWriting)
        m_writes.add(*notification, {observation.asked, observation.answered});
    const auto *exists = std::get_if<Exists>(&observation.content);
    if (exists == nullptr)
        return;
    if (!m_lifetime) {
        // The tracker is about to report how this key appeared, because it was absent before.
        if (m_foundGone)
            return;
        begin({observation.asked, observation.answered}, false, exists->deadline);
    }
    KeyLifetime &lifetime = *m_lifetime;
    if (observation.asked < lifetime.began.earliest)
        return; // The observation belongs to another lifetime.
    lifetime.longestUnseen = std::max(lifetime.longestUnseen, observation.answered - lifetime.lastThere);
    lifetime.lastThere = std::max(lifetime.lastThere, observation.asked);
    if (lifetime.deadline && exists->deadline.agreesWith(*lifetime.deadline))
        lifetime.lastSameEnd = std::max(lifetime.lastSameEnd, observation.asked);
    if (!exists->deadline.isNever())
        ++lifetime.reads;
    else if (!lifetime.withoutExpiry)
        lifetime.withoutExpiry = {observation.asked, observation.answered};
}

void ExpectationEvaluator::take(const KeyEvent &keyEvent, const events::EventCoverage &reported)
{
    const base::TimeInterval at {keyEvent.notBefore, keyEvent.notAfter};
    switch (keyEvent.type) {
    case Type::Appeared:
        begin(at, true, keyEvent.deadline);
        return;
    case Type::Replaced:
    case Type::HandedOver:
        if (!m_lifetime || m_expectation.isAfterWriting || m_expectation.kind == Kind::Renewed) {
            begin(at, true, keyEvent.deadline);
        } else {
            m_lifetime->isSeamless = m_lifetime->isSeamless && keyEvent.type == Type::HandedOver;
            m_lifetime->deadline = keyEvent.deadline;
        }
        return;
    case Type::Renewed:
    case Type::Changed:
        if (!m_lifetime)
            return;
        if (keyEvent.deadline) {
            const auto &known = m_lifetime->deadline;
            const bool isLater = !keyEvent.deadline->isNever() && known && !known->isNever()
                              && keyEvent.deadline->at() > known->at() && !keyEvent.deadline->agreesWith(*known);
            // Reads may have confirmed the former expiry later than the start of the tracker's interval.
            if (isLater || keyEvent.type == Type::Renewed)
                renew({std::clamp(m_lifetime->lastSameEnd, at.earliest, std::max(at.earliest, at.latest)), at.latest});
            m_lifetime->deadline = keyEvent.deadline;
        }
        if (m_expectation.isAfterWriting)
            noteChange(keyEvent, reported);
        return;
    case Type::FirstRead:
        return;
    case Type::Ended:
        end(keyEvent);
        return;
    }
}

void ExpectationEvaluator::renew(const base::TimeInterval &at)
{
    KeyLifetime &lifetime = *m_lifetime;
    ++lifetime.renewals;
    lifetime.longestLowerBound = std::max(lifetime.longestLowerBound, at.earliest - lifetime.renewed.latest);
    lifetime.longestUpperBound = std::max(lifetime.longestUpperBound, at.latest - lifetime.renewed.earliest);
    lifetime.renewed = at;
}

/// Notes a change of an existing key. A new expiry may be that of a SET with the same value, or with a value that was
/// not read. Only named notifications of the server exclude the write.
void ExpectationEvaluator::noteChange(const KeyEvent &keyEvent, const events::EventCoverage &reported)
{
    if (keyEvent.before && keyEvent.after && *keyEvent.before != *keyEvent.after)
        return begin({keyEvent.notBefore, keyEvent.notAfter}, true, keyEvent.deadline);
    const bool areWritesReported =
        reported.depth == events::EventCoverage::Depth::Events && reported.since <= keyEvent.notBefore;
    if (!areWritesReported)
        m_lifetime->changedUntil = std::max(keyEvent.notAfter, m_lifetime->changedUntil.value_or(keyEvent.notAfter));
}

/// Returns the time from which the times of a lifetime count. `end`: null for a lifetime that has not ended.
LastWrite ExpectationEvaluator::start(const KeyLifetime &lifetime, const KeyEvent *end) const
{
    const LastWrite known {lifetime.began, lifetime.isWritten, lifetime.changedUntil};
    if (!m_expectation.isAfterWriting)
        return known;
    return end == nullptr ? m_writes.lastOf(known, lifetime.lastThere)
                          : m_writes.lastBefore(*end, known, lifetime.lastThere);
}

void ExpectationEvaluator::beginGap()
{
    if (m_lifetime)
        m_lifetime->isSeamless = false;
}

void ExpectationEvaluator::end(const KeyEvent &keyEvent)
{
    if (!m_lifetime)
        return;
    const KeyLifetime lifetime = *std::exchange(m_lifetime, std::nullopt);
    m_foundGone = keyEvent.notAfter;
    close(evaluateEnd(lifetime, keyEvent));
}

void ExpectationEvaluator::close(Verdict verdict)
{
    if (verdict.outcome == Outcome::Open)
        return; // This lifetime cannot and need not be evaluated.
    ++m_evaluatedLifetimes;
    if (!m_worst || weight(verdict.outcome) > weight(m_worst->outcome))
        m_worst = verdict;
}

Verdict ExpectationEvaluator::verdict(bool isOver) const
{
    Verdict now = m_lifetime ? evaluateOngoing(*m_lifetime, isOver ? Stage::Unwatched : Stage::Ongoing) : Verdict {};
    // A lifetime that was observed too briefly does not weaken the verdict on the evaluated lifetimes.
    const bool isEvaluated =
        now.outcome != Outcome::Open && now.why != Why::WatchedTooShort && now.why != Why::WritingNotSeen;
    Verdict result = now;
    if (m_worst && (!isEvaluated || weight(now.outcome) <= weight(m_worst->outcome)))
        result = *m_worst;
    else if (isOver && now.outcome == Outcome::Open)
        result = verdictWithoutLifetime();
    result.lifetimes = m_evaluatedLifetimes + (isEvaluated ? 1 : 0);
    return result;
}

Verdict ExpectationEvaluator::verdictWithoutLifetime() const
{
    const bool wasLookedFor = m_foundGone.has_value() && !m_wasSeen && !m_expectation.isPattern;
    if (m_expectation.kind == Kind::Exists && wasLookedFor && !m_expectation.isAfterWriting)
        return verdictOf(Outcome::Fails, Why::NeverExisted);
    if (!m_wasSeen)
        return verdictOf(Outcome::Unknown, Why::NeverSeen);
    return verdictOf(Outcome::Unknown, m_expectation.isAfterWriting ? Why::WritingNotSeen : Why::TooShortLived);
}

/// Decides whether the time lies certainly between `from` and `until`, or certainly outside.
Verdict ExpectationEvaluator::evaluateBounds(Verdict verdict) const
{
    const bool isExists = m_expectation.kind == Kind::Exists;
    const nanoseconds from = isExists ? m_expectation.until : m_expectation.from;
    const nanoseconds until = isExists ? nanoseconds::max() : nanoseconds(m_expectation.until);
    if (verdict.upperBound < from || verdict.lowerBound > until)
        verdict.outcome = Outcome::Fails;
    else if (verdict.lowerBound >= from && verdict.upperBound <= until)
        verdict.outcome = Outcome::Holds;
    else
        verdict.outcome = Outcome::Unknown;
    return verdict;
}

Verdict ExpectationEvaluator::evaluateEnd(const KeyLifetime &lifetime, const KeyEvent &keyEvent) const
{
    base::TimeInterval ended {std::max(keyEvent.notBefore, lifetime.lastThere), keyEvent.notAfter};
    // An expired key existed until its deadline.
    if (keyEvent.late())
        ended.earliest = std::max(ended.earliest, keyEvent.deadline->at() - keyEvent.deadline->uncertainty());
    ended.earliest = std::min(ended.earliest, ended.latest);
    switch (m_expectation.kind) {
    case Kind::Renewed:
        return evaluateRenewals(lifetime, ended, Stage::Ended);
    case Kind::Expiring:
        return evaluateExpiry(lifetime, Stage::Ended);
    case Kind::Gone:
    case Kind::Exists:
        break;
    }
    const LastWrite written = start(lifetime, &keyEvent);
    if (m_expectation.isAfterWriting && !written.isSeen)
        return written.isUncertain() ? verdictOf(Outcome::Unknown, Why::MayHaveBeenWritten) : Verdict();
    const base::TimeInterval from = written.interval();
    Verdict verdict = verdictOf(Outcome::Open, Why::Ended);
    verdict.lowerBound = std::max(ended.earliest - from.latest, nanoseconds(0));
    verdict.upperBound = std::max(ended.latest - from.earliest, nanoseconds(0));
    verdict.isSinceWriting = written.isSeen;
    verdict.ending = keyEvent.ending;
    verdict = evaluateBounds(verdict);
    if (verdict.outcome == Outcome::Unknown && written.isUncertain())
        verdict.why = Why::MayHaveBeenWritten;
    return lifetime.isSeamless || verdict.outcome == Outcome::Unknown ? verdict : asUnknown(verdict);
}

Verdict ExpectationEvaluator::evaluateOngoing(const KeyLifetime &lifetime, Stage stage) const
{
    switch (m_expectation.kind) {
    case Kind::Renewed:
        return evaluateRenewals(lifetime, {lifetime.lastThere, lifetime.lastThere}, stage);
    case Kind::Expiring:
        return evaluateExpiry(lifetime, stage);
    case Kind::Gone:
    case Kind::Exists:
        break;
    }
    const Outcome undecided = stage == Stage::Ongoing ? Outcome::Open : Outcome::Unknown;
    const LastWrite written = start(lifetime, nullptr);
    if (m_expectation.isAfterWriting && !written.isSeen)
        return verdictOf(undecided, written.isUncertain() ? Why::MayHaveBeenWritten : Why::WritingNotSeen);
    const base::TimeInterval from = written.interval();
    Verdict verdict = verdictOf(undecided, Why::WatchedTooShort);
    verdict.lowerBound = std::max(lifetime.lastThere - from.latest, nanoseconds(0));
    verdict.upperBound = std::max(lifetime.lastThere - from.earliest, nanoseconds(0));
    verdict.isSinceWriting = written.isSeen;
    const bool isExists = m_expectation.kind == Kind::Exists;
    const nanoseconds until = m_expectation.until;
    if (isExists ? verdict.lowerBound < until : verdict.lowerBound <= until)
        return verdict;
    verdict.outcome = isExists ? Outcome::Holds : Outcome::Fails;
    verdict.why = Why::StillExists;
    return lifetime.isSeamless ? verdict : asUnknown(verdict);
}

Verdict ExpectationEvaluator::evaluateRenewals(const KeyLifetime &lifetime, const base::TimeInterval &until,
                                               Stage stage) const
{
    Verdict verdict = verdictOf(Outcome::Open, Why::Renewed);
    verdict.count = lifetime.renewals;
    verdict.isSinceWriting = lifetime.isWritten;
    verdict.lowerBound = lifetime.longestLowerBound;
    verdict.upperBound = lifetime.longestUpperBound;
    const nanoseconds longest = m_expectation.until;
    const Verdict open = verdict;
    const nanoseconds sinceLast = std::max(until.earliest - lifetime.renewed.latest, nanoseconds(0));
    if (std::max(lifetime.longestLowerBound, sinceLast) > longest) {
        verdict.outcome = Outcome::Fails;
        verdict.why = Why::NotRenewed;
        verdict.lowerBound = std::max(lifetime.longestLowerBound, sinceLast);
        verdict.upperBound = std::max(lifetime.longestUpperBound, until.latest - lifetime.renewed.earliest);
        return lifetime.isSeamless ? verdict : asUnknown(verdict); // An unobserved renewal may lie in between.
    }
    if (stage == Stage::Ongoing)
        return open;
    if (lifetime.renewals > 0) {
        verdict.outcome = lifetime.longestUpperBound <= longest ? Outcome::Holds : Outcome::Unknown;
        return lifetime.isSeamless ? verdict : asUnknown(verdict);
    }
    if (stage == Stage::Ended)
        return open; // The key did not exist long enough for a renewal.
    verdict.outcome = Outcome::Unknown;
    verdict.why = Why::WatchedTooShort;
    verdict.lowerBound = sinceLast;
    verdict.upperBound = until.latest - lifetime.renewed.earliest;
    return verdict;
}

Verdict ExpectationEvaluator::evaluateExpiry(const KeyLifetime &lifetime, Stage stage) const
{
    Verdict verdict = verdictOf(Outcome::Open, Why::AlwaysExpiring);
    verdict.isSinceWriting = lifetime.isWritten;
    if (lifetime.withoutExpiry) {
        verdict.outcome = Outcome::Fails;
        verdict.why = Why::WithoutExpiry;
        verdict.lowerBound = std::max(lifetime.withoutExpiry->earliest - lifetime.began.latest, nanoseconds(0));
        verdict.upperBound = std::max(lifetime.withoutExpiry->latest - lifetime.began.earliest, nanoseconds(0));
        return verdict;
    }
    verdict.count = lifetime.reads;
    verdict.lowerBound = lifetime.longestUnseen;
    verdict.upperBound = lifetime.longestUnseen;
    if (stage == Stage::Ongoing)
        return verdict;
    if (lifetime.reads == 0)
        return stage == Stage::Ended ? Verdict {} : verdictOf(Outcome::Unknown, Why::NeverSeen);
    verdict.outcome = Outcome::Holds;
    return lifetime.isSeamless ? verdict : asUnknown(verdict);
}

} // namespace latchkey::expectations

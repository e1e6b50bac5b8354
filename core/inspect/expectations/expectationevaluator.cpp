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
using What = KeyEvent::What;
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
Verdict doubted(Verdict verdict)
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

void ExpectationEvaluator::begin(const TimeInterval &at, bool isWritten, const std::optional<base::Deadline> &deadline)
{
    Life life;
    life.began = at;
    life.isWritten = isWritten;
    life.lastThere = at.earliest;
    life.lastSameEnd = at.earliest;
    life.deadline = deadline;
    life.renewed = at;
    if (deadline && deadline->isNever())
        life.withoutExpiry = at;
    m_life = life;
    m_wasSeen = true;
    m_writes.dropUntil(at.latest);
}

void ExpectationEvaluator::see(const events::Observation &look)
{
    if (std::holds_alternative<Gone>(look.what)) {
        m_foundGone = look.asked;
        return; // The ledger reports how and when the key ended.
    }
    if (const auto *notice = std::get_if<events::ChangeNotice>(&look.what); notice && m_expectation.isAfterWriting)
        m_writes.add(*notice, {look.asked, look.answered});
    const auto *exists = std::get_if<Exists>(&look.what);
    if (exists == nullptr)
        return;
    if (!m_life) {
        // The ledger is about to report how this key appeared, because it was absent before.
        if (m_foundGone)
            return;
        begin({look.asked, look.answered}, false, exists->deadline);
    }
    Life &life = *m_life;
    if (look.asked < life.began.earliest)
        return; // The observation belongs to another life.
    life.longestUnseen = std::max(life.longestUnseen, look.answered - life.lastThere);
    life.lastThere = std::max(life.lastThere, look.asked);
    if (life.deadline && exists->deadline.agreesWith(*life.deadline))
        life.lastSameEnd = std::max(life.lastSameEnd, look.asked);
    if (!exists->deadline.isNever())
        ++life.looks;
    else if (!life.withoutExpiry)
        life.withoutExpiry = {look.asked, look.answered};
}

void ExpectationEvaluator::take(const KeyEvent &keyEvent, const events::EventCoverage &reported)
{
    const TimeInterval at {keyEvent.notBefore, keyEvent.notAfter};
    switch (keyEvent.what) {
    case What::Appeared:
        begin(at, true, keyEvent.deadline);
        return;
    case What::Replaced:
    case What::HandedOver:
        if (!m_life || m_expectation.isAfterWriting || m_expectation.kind == Kind::Renewed) {
            begin(at, true, keyEvent.deadline);
        } else {
            m_life->isSeamless = m_life->isSeamless && keyEvent.what == What::HandedOver;
            m_life->deadline = keyEvent.deadline;
        }
        return;
    case What::Renewed:
    case What::Changed:
        if (!m_life)
            return;
        if (keyEvent.deadline) {
            const auto &known = m_life->deadline;
            const bool isLater = !keyEvent.deadline->isNever() && known && !known->isNever()
                              && keyEvent.deadline->at() > known->at() && !keyEvent.deadline->agreesWith(*known);
            // Reads may have confirmed the former expiry later than the start of the ledger's interval.
            if (isLater || keyEvent.what == What::Renewed)
                renew({std::clamp(m_life->lastSameEnd, at.earliest, std::max(at.earliest, at.latest)), at.latest});
            m_life->deadline = keyEvent.deadline;
        }
        if (m_expectation.isAfterWriting)
            noteChange(keyEvent, reported);
        return;
    case What::Learnt:
        return;
    case What::Ended:
        end(keyEvent);
        return;
    }
}

void ExpectationEvaluator::renew(const TimeInterval &at)
{
    Life &life = *m_life;
    ++life.renewals;
    life.longestLeast = std::max(life.longestLeast, at.earliest - life.renewed.latest);
    life.longestMost = std::max(life.longestMost, at.latest - life.renewed.earliest);
    life.renewed = at;
}

/// Notes a change of an existing key. A new expiry may be that of a SET with the same value, or with a value that was
/// not read. Only named notices of the server exclude the write.
void ExpectationEvaluator::noteChange(const KeyEvent &keyEvent, const events::EventCoverage &reported)
{
    if (keyEvent.before && keyEvent.after && *keyEvent.before != *keyEvent.after)
        return begin({keyEvent.notBefore, keyEvent.notAfter}, true, keyEvent.deadline);
    const bool areWritesReported =
        reported.depth == events::EventCoverage::Depth::Events && reported.since <= keyEvent.notBefore;
    if (!areWritesReported)
        m_life->changedUntil = std::max(keyEvent.notAfter, m_life->changedUntil.value_or(keyEvent.notAfter));
}

/// Returns the time from which the times of a life count. `end`: null for a life that goes on.
LastWrite ExpectationEvaluator::start(const Life &life, const KeyEvent *end) const
{
    const LastWrite known {life.began, life.isWritten, life.changedUntil};
    if (!m_expectation.isAfterWriting)
        return known;
    return end == nullptr ? m_writes.lastOf(known, life.lastThere) : m_writes.lastBefore(*end, known, life.lastThere);
}

void ExpectationEvaluator::beginGap()
{
    if (m_life)
        m_life->isSeamless = false;
}

void ExpectationEvaluator::end(const KeyEvent &keyEvent)
{
    if (!m_life)
        return;
    const Life life = *std::exchange(m_life, std::nullopt);
    m_foundGone = keyEvent.notAfter;
    close(judgeEnd(life, keyEvent));
}

void ExpectationEvaluator::close(Verdict verdict)
{
    if (verdict.outcome == Outcome::Open)
        return; // This life cannot and need not be judged.
    ++m_lives;
    if (!m_worst || weight(verdict.outcome) > weight(m_worst->outcome))
        m_worst = verdict;
}

Verdict ExpectationEvaluator::verdict(bool isOver) const
{
    Verdict now = m_life ? judgeOngoing(*m_life, isOver ? Stage::Unwatched : Stage::GoesOn) : Verdict {};
    // A life observed too briefly does not weaken the judged lives.
    const bool isJudged =
        now.outcome != Outcome::Open && now.why != Why::WatchedTooShort && now.why != Why::WritingNotSeen;
    Verdict said = now;
    if (m_worst && (!isJudged || weight(now.outcome) <= weight(m_worst->outcome)))
        said = *m_worst;
    else if (isOver && now.outcome == Outcome::Open)
        said = verdictOfNothing();
    said.lives = m_lives + (isJudged ? 1 : 0);
    return said;
}

Verdict ExpectationEvaluator::verdictOfNothing() const
{
    const bool wasLookedFor = m_foundGone.has_value() && !m_wasSeen && !m_expectation.isPattern;
    if (m_expectation.kind == Kind::Exists && wasLookedFor && !m_expectation.isAfterWriting)
        return verdictOf(Outcome::Fails, Why::NeverThere);
    if (!m_wasSeen)
        return verdictOf(Outcome::Unknown, Why::NeverSeen);
    return verdictOf(Outcome::Unknown, m_expectation.isAfterWriting ? Why::WritingNotSeen : Why::TooShortLived);
}

/// Decides whether the time lies certainly between `from` and `until`, or certainly outside.
Verdict ExpectationEvaluator::judgeBounds(Verdict verdict) const
{
    const bool isExists = m_expectation.kind == Kind::Exists;
    const nanoseconds from = isExists ? m_expectation.until : m_expectation.from;
    const nanoseconds until = isExists ? nanoseconds::max() : nanoseconds(m_expectation.until);
    if (verdict.most < from || verdict.least > until)
        verdict.outcome = Outcome::Fails;
    else if (verdict.least >= from && verdict.most <= until)
        verdict.outcome = Outcome::Holds;
    else
        verdict.outcome = Outcome::Unknown;
    return verdict;
}

Verdict ExpectationEvaluator::judgeEnd(const Life &life, const KeyEvent &keyEvent) const
{
    TimeInterval ended {std::max(keyEvent.notBefore, life.lastThere), keyEvent.notAfter};
    // An expired key existed until its deadline.
    if (keyEvent.ending == Ending::Expired && keyEvent.deadline && !keyEvent.deadline->isNever())
        ended.earliest = std::max(ended.earliest, keyEvent.deadline->at() - keyEvent.deadline->uncertainty());
    ended.earliest = std::min(ended.earliest, ended.latest);
    switch (m_expectation.kind) {
    case Kind::Renewed:
        return judgeRenewals(life, ended, Stage::Ended);
    case Kind::Expiring:
        return judgeExpiry(life, Stage::Ended);
    case Kind::Gone:
    case Kind::Exists:
        break;
    }
    const LastWrite written = start(life, &keyEvent);
    if (m_expectation.isAfterWriting && !written.isSeen)
        return written.isUncertain() ? verdictOf(Outcome::Unknown, Why::MayHaveBeenWritten) : Verdict();
    const TimeInterval from = written.interval();
    Verdict verdict = verdictOf(Outcome::Open, Why::Went);
    verdict.least = std::max(ended.earliest - from.latest, nanoseconds(0));
    verdict.most = std::max(ended.latest - from.earliest, nanoseconds(0));
    verdict.isSinceWriting = written.isSeen;
    verdict.ending = keyEvent.ending;
    verdict = judgeBounds(verdict);
    if (verdict.outcome == Outcome::Unknown && written.isUncertain())
        verdict.why = Why::MayHaveBeenWritten;
    return life.isSeamless || verdict.outcome == Outcome::Unknown ? verdict : doubted(verdict);
}

Verdict ExpectationEvaluator::judgeOngoing(const Life &life, Stage stage) const
{
    switch (m_expectation.kind) {
    case Kind::Renewed:
        return judgeRenewals(life, {life.lastThere, life.lastThere}, stage);
    case Kind::Expiring:
        return judgeExpiry(life, stage);
    case Kind::Gone:
    case Kind::Exists:
        break;
    }
    const Outcome undecided = stage == Stage::GoesOn ? Outcome::Open : Outcome::Unknown;
    const LastWrite written = start(life, nullptr);
    if (m_expectation.isAfterWriting && !written.isSeen)
        return verdictOf(undecided, written.isUncertain() ? Why::MayHaveBeenWritten : Why::WritingNotSeen);
    const TimeInterval from = written.interval();
    Verdict verdict = verdictOf(undecided, Why::WatchedTooShort);
    verdict.least = std::max(life.lastThere - from.latest, nanoseconds(0));
    verdict.most = std::max(life.lastThere - from.earliest, nanoseconds(0));
    verdict.isSinceWriting = written.isSeen;
    const bool isExists = m_expectation.kind == Kind::Exists;
    const nanoseconds until = m_expectation.until;
    if (isExists ? verdict.least < until : verdict.least <= until)
        return verdict;
    verdict.outcome = isExists ? Outcome::Holds : Outcome::Fails;
    verdict.why = Why::StillThere;
    return life.isSeamless ? verdict : doubted(verdict);
}

Verdict ExpectationEvaluator::judgeRenewals(const Life &life, const TimeInterval &until, Stage stage) const
{
    Verdict verdict = verdictOf(Outcome::Open, Why::Renewed);
    verdict.count = life.renewals;
    verdict.isSinceWriting = life.isWritten;
    verdict.least = life.longestLeast;
    verdict.most = life.longestMost;
    const nanoseconds longest = m_expectation.until;
    const Verdict open = verdict;
    const nanoseconds sinceLast = std::max(until.earliest - life.renewed.latest, nanoseconds(0));
    if (std::max(life.longestLeast, sinceLast) > longest) {
        verdict.outcome = Outcome::Fails;
        verdict.why = Why::NotRenewed;
        verdict.least = std::max(life.longestLeast, sinceLast);
        verdict.most = std::max(life.longestMost, until.latest - life.renewed.earliest);
        return life.isSeamless ? verdict : doubted(verdict); // An unobserved renewal may lie in between.
    }
    if (stage == Stage::GoesOn)
        return open;
    if (life.renewals > 0) {
        verdict.outcome = life.longestMost <= longest ? Outcome::Holds : Outcome::Unknown;
        return life.isSeamless ? verdict : doubted(verdict);
    }
    if (stage == Stage::Ended)
        return open; // The key did not exist long enough for a renewal.
    verdict.outcome = Outcome::Unknown;
    verdict.why = Why::WatchedTooShort;
    verdict.least = sinceLast;
    verdict.most = until.latest - life.renewed.earliest;
    return verdict;
}

Verdict ExpectationEvaluator::judgeExpiry(const Life &life, Stage stage) const
{
    Verdict verdict = verdictOf(Outcome::Open, Why::AlwaysExpiring);
    verdict.isSinceWriting = life.isWritten;
    if (life.withoutExpiry) {
        verdict.outcome = Outcome::Fails;
        verdict.why = Why::WithoutExpiry;
        verdict.least = std::max(life.withoutExpiry->earliest - life.began.latest, nanoseconds(0));
        verdict.most = std::max(life.withoutExpiry->latest - life.began.earliest, nanoseconds(0));
        return verdict;
    }
    verdict.count = life.looks;
    verdict.least = life.longestUnseen;
    verdict.most = life.longestUnseen;
    if (stage == Stage::GoesOn)
        return verdict;
    if (life.looks == 0)
        return stage == Stage::Ended ? Verdict {} : verdictOf(Outcome::Unknown, Why::NeverSeen);
    verdict.outcome = Outcome::Holds;
    return life.isSeamless ? verdict : doubted(verdict);
}

} // namespace latchkey::expectations

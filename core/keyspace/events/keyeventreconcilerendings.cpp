// Derives the changes from looks and notices in their known order. keyeventreconciler.cpp finds the order, and
// keyeventreconcilerevents.cpp builds the key events.

#include "core/keyspace/events/keyeventreconciler.h"

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using keys::ExpiryChange;
using keys::KeyType;
using What = KeyEvent::What;
using Depth = EventCoverage::Depth;

void KeyEventReconciler::apply(const Notice &notice, KeyEvents &out)
{
    m_appliedUntil = notice.received;
    switch (notice.kind) {
    case Notice::Kind::End:
        applyEnd(notice, out);
        return;
    case Notice::Kind::Write:
    case Notice::Kind::Touch:
        if (m_presence == Presence::NotThere) {
            m_presence = Presence::There;
            m_fresh = notice;
            if (m_lastLook < m_reportedSince) // The key may have appeared before the reports began.
                m_fresh->notBefore = m_lastLook;
            m_lastAlive = std::max(notice.notBefore, m_lastLook);
            return;
        }
        (notice.kind == Notice::Kind::Write ? m_isOverwritten : m_isTouched) = true;
        note(notice);
        return;
    case Notice::Kind::Flush:
        if (m_presence != Presence::NotThere)
            m_flush = notice.received;
        return;
    case Notice::Kind::Any:
        ++m_touches;
        m_lastTouch = notice;
        note(notice);
        return;
    }
}

void KeyEventReconciler::applyEnd(const Notice &notice, KeyEvents &out)
{
    m_goneUntil = notice.received;
    if (m_presence != Presence::There) {
        setAbsent(notice.notBefore);
        return;
    }
    Ending ending = notice.ending;
    // A replica reports an expired key as deleted, by order of its master. A server also evicts keys that have expired
    // and are still in memory. So an eviction is certain only if the expiry was known to be ahead.
    const bool isEndKnown = isDeadlineCurrent() && isStateReported();
    if (isEndKnown && m_deadline->hasPassed(notice.notBefore))
        ending = Ending::Expired;
    else if (ending == Ending::Evicted && (!isEndKnown || notice.received >= earliestEnd()))
        ending = Ending::Unknown;
    // The flush may have ended the known hold, and this notice a later one.
    if (m_flush && (m_isOverwritten || m_isTouched))
        ending = Ending::Unknown;
    if (m_fresh)
        addAppeared(nullptr, out);
    else if (m_isOverwritten)
        addOverwritten(nullptr, notice.received, out);
    addEnded(ending, nullptr, &notice, out);
    setAbsent(notice.notBefore);
}

void KeyEventReconciler::applyThere(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out)
{
    if (m_presence == Presence::Unknown) {
        take(look, false, eventCoverage);
        return;
    }
    applyUnplaced(eventCoverage, out);
    if (m_presence == Presence::NotThere || m_fresh) {
        applyFirstLook(look, eventCoverage, out);
        return;
    }
    // The value may be that of another holder; a read of it is under way.
    if (m_isOverwritten && m_value && !look.value)
        return;
    const auto what = judge(look, eventCoverage);
    if (what) {
        const bool isInferred =
            *what == What::Learnt ? mayBeOfLaterHold(look, eventCoverage) : !isSameForCertain(look, eventCoverage);
        KeyEvent event;
        event.what = *what;
        event.deadline = look.deadline ? look.deadline : m_deadline;
        event.notBefore = m_isValueStale                              ? m_valueAsOf
                        : m_isDeadlineStale && *what == What::Renewed ? m_deadlineAsOf
                                                                      : m_lastLook;
        event.notAfter = look.answered;
        event.source = look.source;
        event.isInferred = isInferred || look.isInferred;
        event.before = m_value;
        event.after = look.value;
        if (look.source != Source::Act)
            narrow(event, eventCoverage);
        out.push_back(std::move(event));
    }
    take(look, !what || *what == What::Renewed || *what == What::Learnt, eventCoverage);
}

/// Applies the first look at a key that has appeared. Only if all changes since its first notice are reported, the look
/// shows the hold of that notice.
void KeyEventReconciler::applyFirstLook(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out)
{
    const bool isAnothers = m_fresh && (m_isOverwritten || (m_flush && m_isTouched));
    const bool isUncertain = m_fresh && !isAnothers && !isStateReported() && look.source != Source::Act;
    const std::size_t appeared = out.size();
    addAppeared(isAnothers || isUncertain ? nullptr : &look, out);
    if (isAnothers)
        addOverwritten(&look, look.answered, out);
    const MonotonicTime notBefore = out[appeared].notBefore;
    m_value.reset();
    take(look, false, eventCoverage);
    m_isValueStale = isUncertain && !look.value; // The state of the former hold does not count.
    m_valueAsOf = m_isValueStale ? notBefore : m_valueAsOf;
    if (!isUncertain || !look.value)
        return;
    KeyEvent learnt;
    learnt.what = What::Learnt;
    learnt.deadline = look.deadline;
    learnt.notBefore = notBefore;
    learnt.notAfter = look.answered;
    learnt.source = look.source;
    learnt.isInferred = true;
    learnt.after = look.value;
    out.push_back(std::move(learnt));
}

/// Returns whether the value that the look has read first may be that of a later hold than the expiry known before.
bool KeyEventReconciler::mayBeOfLaterHold(const Look &look, const EventCoverage &eventCoverage) const
{
    const bool hasSameEnd = look.deadline && m_deadline && look.deadline->agreesWith(*m_deadline);
    return m_isOverwritten || m_touches > 0 || m_isValueStale || !(hasSameEnd || isUnwritten(eventCoverage));
}

/// Returns the change that a look at an existing key reveals; absent if nothing has changed.
std::optional<What> KeyEventReconciler::judge(const Look &look, const EventCoverage &eventCoverage) const
{
    if (look.value && m_value && *look.value != *m_value) {
        const bool isOneValue = look.value->type == KeyType::String || look.value->type != m_value->type;
        if (!isOneValue)
            return What::Changed;
        const bool wasThereAllTheTime = m_isCovered && eventCoverage.depth == Depth::Events
                                     && eventCoverage.reportsFlushes && m_isOverwritten && !m_flush;
        return wasThereAllTheTime ? What::HandedOver : What::Replaced;
    }
    if (const auto what = judgeEnds(look)) {
        // A value that is read for the first time, with another expiry, may be that of another hold. So may the expiry
        // be, if the known value was not read again.
        const bool mayBeAnothers = look.value.has_value() != m_value.has_value() && !isUnwritten(eventCoverage);
        return mayBeAnothers || isUnreported(look, eventCoverage) ? What::Changed : *what;
    }
    return look.value && !m_value ? std::optional(What::Learnt) : std::nullopt;
}

std::optional<What> KeyEventReconciler::judgeEnds(const Look &look) const
{
    if (!look.deadline || !m_deadline)
        return std::nullopt;
    switch (keys::expiryChange(*m_deadline, m_span, *look.deadline, look.answered)) {
    case ExpiryChange::None:
        return std::nullopt;
    case ExpiryChange::Renewed:
        return What::Renewed;
    case ExpiryChange::Moved:
        break;
    }
    const bool isSameValue = look.value && m_value;
    const bool isLater = !m_deadline->isNever() && look.deadline->at() > m_deadline->at();
    return isSameValue && isLater && !look.deadline->isNever() ? What::Renewed : What::Changed;
}

/// Returns whether the expiry has changed without a notice. No command did it, but a jump of the server's clock or
/// SWAPDB.
bool KeyEventReconciler::isUnreported(const Look &look, const EventCoverage &eventCoverage) const
{
    return look.source != Source::Act && m_isCovered && eventCoverage.depth != Depth::None && !m_isOverwritten
        && !m_isTouched && m_touches == 0 && !m_changes && !m_isDeadlineStale;
}

/// Returns whether the key certainly holds a known value: the look has read it, or the notices exclude a write.
bool KeyEventReconciler::isSameForCertain(const Look &look, const EventCoverage &eventCoverage) const
{
    return look.value || isUnwritten(eventCoverage);
}

/// Returns whether the notices exclude a write since the last look.
bool KeyEventReconciler::isUnwritten(const EventCoverage &eventCoverage) const
{
    return m_isCovered && eventCoverage.depth != Depth::None && !m_isOverwritten && !m_flush && m_touches == 0;
}

void KeyEventReconciler::take(const Look &look, bool isSameHold, const EventCoverage &eventCoverage)
{
    const bool isCertain = isSameForCertain(look, eventCoverage);
    // Without notices, the same expiry counts as the same hold. It does not prove a time, so m_valueAsOf is not
    // changed.
    const bool hasSameEnd =
        eventCoverage.depth == Depth::None && look.deadline && m_deadline && look.deadline->agreesWith(*m_deadline);
    m_isValueStale = !look.value && (m_isValueStale || !(isCertain || hasSameEnd));
    if ((isCertain && !m_isValueStale) || m_presence != Presence::There)
        m_valueAsOf = look.asked;
    const bool isUncovered = !m_isCovered || eventCoverage.depth == Depth::None;
    m_isDeadlineStale = !look.deadline && isSameHold
                     && (m_isDeadlineStale || isUncovered || m_isTouched || m_isOverwritten || m_touches > 0);
    if (!m_isDeadlineStale)
        m_deadlineAsOf = look.asked;
    if (!m_isValueStale && !m_isDeadlineStale)
        m_changes.reset();
    if (look.deadline) {
        const auto left = keys::leftAt(*look.deadline, look.answered);
        m_span = isSameHold ? std::max(m_span, left) : left;
        m_deadline = look.deadline;
    } else if (!isSameHold || (look.value && !m_value && !isUnwritten(eventCoverage))) {
        m_deadline.reset(); // The expiry belongs, or may belong, to a former hold; PTTL may be refused.
        m_isDeadlineStale = false;
        m_span = {};
    }
    if (look.value)
        m_value = look.value;
    m_lastLook = look.asked;
    if (isCertain || !m_value || m_presence != Presence::There)
        m_lastAlive = look.asked;
    m_presence = Presence::There;
    dropNotices();
}

void KeyEventReconciler::applyGone(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out)
{
    if (m_presence == Presence::There) {
        if (m_fresh)
            addAppeared(nullptr, out);
        addEnded(endingOf(look, eventCoverage), &look, nullptr, out);
    }
    setAbsent(look.asked);
    m_goneUntil = look.answered;
}

/// Applies the look that found the key gone, now that the key exists again: another hold has begun, and the last notice
/// reports its start.
void KeyEventReconciler::applyUnplaced(const EventCoverage &eventCoverage, KeyEvents &out)
{
    const std::optional<Look> gone = std::exchange(m_unplaced, std::nullopt);
    if (!gone || m_presence != Presence::There || gone->asked < m_lastLook)
        return;
    const Notice last = m_lastTouch;
    const int touches = m_touches;
    applyGone(*gone, eventCoverage, out);
    if (touches == 0 || last.received < gone->asked)
        return;
    m_touches = touches > 2 ? 2 : 1; // One of the changes was the end.
    m_lastTouch = {Notice::Kind::Any, Ending::None, last.received, gone->asked};
    m_changes = {gone->asked, last.received, last.received};
}

/// Returns the ending of a key that a look has not found any more, if no notice has reported the end.
Ending KeyEventReconciler::endingOf(const Look &look, const EventCoverage &eventCoverage) const
{
    if (look.source == Source::Act)
        return Ending::Deleted;
    const bool isCovered = m_isCovered && eventCoverage.depth != Depth::None;
    if (isCovered && m_touches > 0)
        return endingByTouches();
    const bool isStale = m_isOverwritten || m_isTouched || !isDeadlineKnown();
    if (m_flush && isCovered && !isStale && *m_flush < earliestEnd())
        return Ending::Flushed;
    if (isStale || m_flush)
        return Ending::Unknown;
    // The server reports every command that removes a key, and a flush, but not SWAPDB.
    if (look.answered < earliestEnd())
        return isCovered && eventCoverage.reportsFlushes ? Ending::Unknown : Ending::Removed;
    const auto due = isCovered ? m_deadline->at() + m_deadline->uncertainty() : earliestEnd();
    return (isCovered ? look.asked : m_lastAlive) >= due ? Ending::Expired : Ending::Unknown;
}

/// Returns the ending if the server has reported changes without names.
Ending KeyEventReconciler::endingByTouches() const
{
    // Several changes: a lease may have been shortened, or another hold may have begun and ended.
    if (m_touches > 1 || m_flush || !isDeadlineKnown())
        return Ending::Unknown;
    if (m_deadline->hasPassed(std::max(m_lastTouch.notBefore, m_lastAlive)))
        return Ending::Expired;
    return m_lastTouch.received < earliestEnd() && !mayTouchBeOurs() ? Ending::Removed : Ending::Unknown;
}

/// Forgets the changes that notices have reported: the state is certain.
void KeyEventReconciler::dropNotices()
{
    m_fresh.reset();
    m_isOverwritten = false;
    m_isTouched = false;
    m_flush.reset();
    m_touches = 0;
    m_foundGone.reset();
    m_unplaced.reset();
}

void KeyEventReconciler::setAbsent(MonotonicTime at)
{
    m_presence = Presence::NotThere;
    m_deadline.reset();
    m_span = {};
    m_isDeadlineStale = false;
    m_value.reset();
    m_isValueStale = false;
    m_lastLook = std::max(m_lastLook, at);
    dropNotices();
    m_changes.reset();
}

void KeyEventReconciler::note(const Notice &change)
{
    if (!m_changes)
        m_changes = {change.notBefore, change.received, change.received};
    m_changes->lastReceived = change.received;
}

} // namespace latchkey::events

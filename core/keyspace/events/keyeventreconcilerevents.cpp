// Builds the key events, with the intervals that contain the changes.

#include "core/keyspace/events/keyeventreconciler.h"

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using What = KeyEvent::What;
using Depth = EventCoverage::Depth;

MonotonicTime KeyEventReconciler::earliestEnd() const
{
    return m_deadline->isNever() ? MonotonicTime::max() : m_deadline->at() - m_deadline->uncertainty();
}

void KeyEventReconciler::addAppeared(const Look *look, KeyEvents &out)
{
    KeyEvent event;
    event.what = What::Appeared;
    event.notBefore = m_lastLook;
    event.notAfter = m_fresh ? m_fresh->received : look->answered;
    // Unless all changes since the absence are reported, the key may have appeared before the first notice.
    const bool isReported = m_lastLook >= m_reportedSince || (m_fresh && m_fresh->notBefore > m_lastLook);
    if (m_fresh && isReported) {
        event.notBefore = std::max(m_fresh->notBefore, m_lastLook);
        event.firstNotice = m_fresh->received;
    } else if (look && isReported && m_touches > 0 && m_changes && !mayTouchBeOurs()) {
        // A notice just after an own act may be that of the act.
        event.notBefore = std::max(m_changes->notBefore, m_lastLook);
        event.notAfter = std::max(event.notBefore, std::min(m_changes->lastReceived, look->answered));
        event.firstNotice = m_changes->firstReceived;
    }
    event.source = look ? look->source : Source::Notice;
    if (look != nullptr) {
        event.deadline = look->deadline;
        event.after = look->value;
        // The holder may have changed before the first look.
        event.isInferred = look->isInferred || m_isOverwritten || m_touches > 1;
        if (look->source == Source::Act) { // Our own act created the key.
            event.notBefore = look->asked;
            event.notAfter = look->answered;
            event.firstNotice.reset();
            event.isInferred = false;
        }
    }
    out.push_back(std::move(event));
}

/// Reports a write if the former value or the new one was not read: the holder may have changed.
void KeyEventReconciler::addOverwritten(const Look *look, MonotonicTime notAfter, KeyEvents &out)
{
    KeyEvent event;
    event.what = What::Replaced;
    event.notBefore = m_fresh ? std::max(m_fresh->notBefore, m_lastLook) : m_isValueStale ? m_valueAsOf : m_lastLook;
    event.notAfter = notAfter;
    event.source = look != nullptr ? look->source : Source::Notice;
    event.isInferred = true;
    event.before = m_value;
    if (look != nullptr) {
        event.deadline = look->deadline;
        event.after = look->value;
    }
    out.push_back(std::move(event));
}

void KeyEventReconciler::addEnded(Ending ending, const Look *look, const Notice *notice, KeyEvents &out)
{
    KeyEvent event;
    event.what = What::Ended;
    event.ending = ending;
    event.deadline = m_deadline;
    event.isDeadlineStale = !isDeadlineCurrent() || (notice != nullptr && !isStateReported());
    event.before = m_isOverwritten || m_isValueStale ? std::nullopt : m_value;
    event.notBefore = m_isValueStale ? std::min(m_valueAsOf, m_lastAlive) : m_lastAlive;
    // Unless all changes since the known state are reported, the hold may have ended before the notice.
    const bool isReported = isStateReported() && (!m_isValueStale || m_valueAsOf >= m_reportedSince);
    if (notice != nullptr) {
        event.notAfter = notice->received;
        event.source = Source::Notice;
        if (isReported) {
            event.notBefore = std::max(event.notBefore, notice->notBefore);
            event.firstNotice = notice->received;
        }
    } else {
        event.notAfter = look->answered;
        if (m_touches == 1 && !m_flush && !mayTouchBeOurs() && isReported) {
            event.notBefore = std::max(event.notBefore, m_lastTouch.notBefore);
            event.notAfter = std::min(event.notAfter, m_lastTouch.received);
            event.firstNotice = m_lastTouch.received;
        } else if (ending == Ending::Flushed) {
            event.notAfter = std::min(event.notAfter, *m_flush);
        }
        event.source = look->source;
        event.isInferred = look->isInferred;
    }
    const bool hasOurRead =
        look != nullptr || (m_foundGone && *m_foundGone <= event.notAfter && *m_foundGone >= m_lastAlive);
    event.mayBeOurRead = hasOurRead && (ending == Ending::Expired || ending == Ending::Unknown);
    // The server may remove an expired key, and report it, long after its expiry.
    if (ending == Ending::Unknown && m_deadline)
        event.notBefore = std::min(event.notBefore, std::max(m_lastAlive, earliestEnd()));
    // A key does not expire before its deadline.
    if (event.late())
        event.notBefore = std::max(event.notBefore, earliestEnd());
    event.notBefore = std::min(event.notBefore, event.notAfter);
    out.push_back(std::move(event));
}

/// Limits the time of a change to the interval of its notices. The change precedes the last notice, even if the look is
/// much later.
void KeyEventReconciler::narrow(KeyEvent &event, const EventCoverage &eventCoverage) const
{
    const bool isOtherValue = event.what == What::HandedOver || event.what == What::Replaced;
    const bool isReceived = m_isCovered && (!m_isValueStale || m_valueAsOf >= eventCoverage.since)
                         && (!m_isDeadlineStale || m_deadlineAsOf >= eventCoverage.since);
    if (!m_changes || !isReceived || event.what == What::Learnt)
        return;
    if (isOtherValue && eventCoverage.depth == Depth::Events && !m_isOverwritten)
        return; // No notice reports this change.
    event.notBefore = std::max(event.notBefore, m_changes->notBefore);
    event.notAfter = std::max(event.notBefore, std::min(event.notAfter, m_changes->lastReceived));
    event.firstNotice = m_changes->firstReceived;
}

} // namespace latchkey::events

#include "core/keyspace/events/keychangedetector.h"

#include "core/keyspace/events/keyending.h"
#include "core/keyspace/events/keyeventbuilder.h"

#include <algorithm>
#include <utility>

namespace latchkey::events {

using base::MonotonicTime;
using keys::ExpiryChange;
using keys::KeyType;
using Presence = KnownKeyState::Presence;
using Type = KeyEvent::Type;
using Depth = EventCoverage::Depth;

void KeyChangeDetector::begin(MonotonicTime absentAt, bool isSwapped)
{
    if (m_state.presence != Presence::Unknown)
        return;
    m_state.presence = Presence::Absent;
    m_state.isSwapped = isSwapped;
    m_state.lastReading = absentAt;
}

void KeyChangeDetector::markUncertain()
{
    m_state.isTouched = m_state.isTouched || m_state.presence == Presence::Present;
}

void KeyChangeDetector::loseEvents()
{
    m_state.isCovered = false;
    m_state.reportedSince = MonotonicTime::max();
}

void KeyChangeDetector::setReportedSince(const EventCoverage &eventCoverage)
{
    m_state.reportedSince = eventCoverage.depth == Depth::None ? MonotonicTime::max() : eventCoverage.since;
}

void KeyChangeDetector::addAbsenceRequest(MonotonicTime asked)
{
    m_state.firstAskedGone = std::min(m_state.firstAskedGone.value_or(asked), asked);
}

void KeyChangeDetector::confirm(const KeyReading &reading)
{
    // A key that is still absent may have existed before the request. The notifications of that existence may arrive
    // later, and must not be placed after this reading.
    if (!reading.exists)
        return;
    // If the value was not read, another holder may have taken the key, with the same expiry.
    if (reading.value || !m_state.value) {
        m_state.lastReading = reading.asked;
        m_state.lastAlive = reading.asked;
    }
    if (reading.deadline && reading.deadline->uncertainty() < m_state.deadline->uncertainty())
        m_state.deadline = reading.deadline;
}

void KeyChangeDetector::failOver(bool hasUnorderedReports)
{
    if (m_state.presence != Presence::Present)
        return;
    m_wasKnownAtFailover = m_state.isDeadlineKnown() && !m_state.hasChange() && !hasUnorderedReports;
    m_isFailedOver = true;
    markUncertain();
}

void KeyChangeDetector::apply(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out)
{
    setReportedSince(eventCoverage);
    const std::size_t first = out.size();
    if (reading.exists)
        applyThere(reading, eventCoverage, out);
    else
        applyGone(reading, eventCoverage, out);
    if (m_isFailedOver)
        evaluateFailover(reading, first, out);
    m_state.isCovered = eventCoverage.depth != Depth::None && reading.asked >= eventCoverage.since;
}

/// Marks the events of the first readings at the new primary: the key is absent, or differs from that of the former
/// primary.
void KeyChangeDetector::evaluateFailover(const KeyReading &reading, std::size_t first, KeyEvents &out)
{
    for (std::size_t i = first; i < out.size(); ++i) {
        KeyEvent &event = out[i];
        const bool isLost = event.type == KeyEvent::Type::Ended && event.ending == Ending::Unknown
                         && m_wasKnownAtFailover && !event.deadline->hasPassed(reading.answered);
        if (isLost)
            event.ending = Ending::Lost;
        if (isLost)
            event.mayBeOwnRead = false;
        event.isAtFailover = event.type == KeyEvent::Type::Ended || event.type == KeyEvent::Type::HandedOver
                          || event.type == KeyEvent::Type::Replaced || event.type == KeyEvent::Type::Changed;
    }
    m_wasKnownAtFailover = false; // The new primary has the key, or its loss was reported.
    m_isFailedOver = reading.exists && !reading.value;
}

void KeyChangeDetector::apply(const Notification &notification, KeyEvents &out)
{
    m_state.appliedUntil = notification.received;
    switch (notification.kind) {
    case Notification::Kind::End:
        applyEnd(notification, out);
        return;
    case Notification::Kind::Write:
    case Notification::Kind::Touch:
        if (m_state.presence == Presence::Absent) {
            m_state.presence = Presence::Present;
            m_state.appearance = notification;
            if (m_state.lastReading < m_state.reportedSince) // The key may have appeared before the reports began.
                m_state.appearance->notBefore = m_state.lastReading;
            m_state.lastAlive = std::max(notification.notBefore, m_state.lastReading);
            return;
        }
        (notification.kind == Notification::Kind::Write ? m_state.isOverwritten : m_state.isTouched) = true;
        m_state.isWrittenSinceFlush = m_state.isWrittenSinceFlush || (m_state.flushedAt && notification.mayCreate);
        m_state.addChange(notification);
        return;
    case Notification::Kind::Flush:
        applyFlush(notification);
        return;
    case Notification::Kind::Any:
        ++m_state.unnamedChanges;
        m_state.isWrittenSinceFlush = m_state.isWrittenSinceFlush || m_state.flushedAt;
        m_state.lastUnnamedChange = notification;
        m_state.addChange(notification);
        return;
    }
}

void KeyChangeDetector::applyFlush(const Notification &flush)
{
    m_state.isSwapped = m_state.isSwapped || flush.flushKind == FlushKind::Swap;
    if (m_state.presence == Presence::Absent)
        return;
    m_state.flushedAt = flush.received;
    if (flush.flushKind == FlushKind::All)
        m_state.flushOfAll = flush;
}

void KeyChangeDetector::applyEnd(const Notification &notification, KeyEvents &out)
{
    m_state.goneUntil = notification.received;
    if (m_state.presence == Presence::Unknown) // An end is reported only for a key that existed.
        out.push_back(unknownEnded(notification));
    if (m_state.presence != Presence::Present) {
        m_state.setAbsent(notification.notBefore);
        return;
    }
    Ending ending = notification.ending;
    // A replica reports an expired key as deleted, because its primary sends it a DEL. A server also evicts keys that
    // have expired and are still in memory. So an eviction is certain only if the expiry was known to be ahead.
    const bool isEndKnown = m_state.isDeadlineCurrent() && m_state.isStateReported();
    if (isEndKnown && m_state.deadline->hasPassed(notification.notBefore))
        ending = Ending::Expired;
    else if (ending == Ending::Evicted && (!isEndKnown || notification.received >= m_state.earliestEnd()))
        ending = Ending::Unknown;
    // The flush may have ended the known hold, and this notification may report the end of a later one.
    if (m_state.flushedAt && (m_state.isOverwritten || m_state.isTouched))
        ending = Ending::Unknown;
    if (m_state.appearance)
        out.push_back(unreadAppeared(m_state, ending));
    else if (m_state.isOverwritten)
        out.push_back(overwritten(m_state, nullptr, notification.received));
    out.push_back(ended(m_state, ending, notification));
    m_state.setAbsent(notification.notBefore);
}

void KeyChangeDetector::applyThere(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out)
{
    if (m_state.presence == Presence::Unknown) {
        m_state.take(reading, false, eventCoverage);
        return;
    }
    applyUnplacedAbsence(eventCoverage, out);
    if (hasFlushEndedHold() && reading.asked >= m_state.flushOfAll->received)
        endByFlush(reading, out);
    if (m_state.presence == Presence::Absent || m_state.appearance) {
        applyFirstReading(reading, eventCoverage, out);
        return;
    }
    // The value may be that of another holder; a read of it is under way.
    if (m_state.isOverwritten && m_state.value && !reading.value)
        return;
    const auto type = classify(reading, eventCoverage);
    if (type) {
        const bool isInferred = *type == Type::FirstRead ? mayBeOfLaterHold(reading, eventCoverage)
                                                         : !m_state.isCertainlySame(reading, eventCoverage);
        KeyEvent event;
        event.type = *type;
        event.deadline = reading.deadline ? reading.deadline : m_state.deadline;
        event.notBefore = m_state.isValueStale                              ? m_state.valueAsOf
                        : m_state.isDeadlineStale && *type == Type::Renewed ? m_state.deadlineAsOf
                                                                            : m_state.lastReading;
        event.notAfter = reading.answered;
        event.source = reading.source;
        event.isInferred = isInferred || reading.isInferred || mayBeFlushed(eventCoverage);
        event.before = m_state.value;
        event.after = reading.value;
        if (reading.source != Source::OwnCommand)
            narrow(event, m_state, eventCoverage);
        out.push_back(std::move(event));
    }
    m_state.take(reading, !type || *type == Type::Renewed || *type == Type::FirstRead, eventCoverage);
}

/// Returns whether the known hold had begun before a FLUSHALL that was reported since the last reading.
bool KeyChangeDetector::hasFlushEndedHold() const
{
    return m_state.flushOfAll && m_state.presence == Presence::Present && !m_state.appearance
        && m_state.holdSeen <= m_state.flushOfAll->notBefore;
}

/// Applies a FLUSHALL: the known hold has ended, and the reading shows another one.
void KeyChangeDetector::endByFlush(const KeyReading &reading, KeyEvents &out)
{
    const Notification flush = *m_state.flushOfAll;
    KeyEvent event = ended(m_state, Ending::Flushed, reading);
    // A reading of this interval may have shown the later hold.
    event.notBefore = std::min(event.notBefore, flush.notBefore);
    out.push_back(std::move(event));
    m_state.lastReading = std::min(m_state.lastReading, flush.notBefore);
    m_state.setAbsent(flush.notBefore);
}

/// Applies the first reading at a key that has appeared. Only if all changes since its first notification are reported,
/// the reading shows the hold of that notification.
void KeyChangeDetector::applyFirstReading(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out)
{
    const bool isOfOtherHolder =
        m_state.appearance && (m_state.isOverwritten || (m_state.flushedAt && m_state.isTouched));
    const bool isUncertain =
        m_state.appearance && !isOfOtherHolder && !m_state.isStateReported() && reading.source != Source::OwnCommand;
    const std::size_t first = out.size();
    out.push_back(appeared(m_state, isOfOtherHolder || isUncertain ? nullptr : &reading));
    if (isOfOtherHolder)
        out.push_back(overwritten(m_state, &reading, reading.answered));
    const MonotonicTime notBefore = out[first].notBefore;
    m_state.value.reset();
    m_state.take(reading, false, eventCoverage);
    m_state.isValueStale = isUncertain && !reading.value; // The state of the former hold does not count.
    m_state.valueAsOf = m_state.isValueStale ? notBefore : m_state.valueAsOf;
    if (!isUncertain || !reading.value)
        return;
    KeyEvent learnt;
    learnt.type = Type::FirstRead;
    learnt.deadline = reading.deadline;
    learnt.notBefore = notBefore;
    learnt.notAfter = reading.answered;
    learnt.source = reading.source;
    learnt.isInferred = true;
    learnt.after = reading.value;
    out.push_back(std::move(learnt));
}

/// Returns whether the value that was read for the first time may belong to a later hold than the known expiry.
bool KeyChangeDetector::mayBeOfLaterHold(const KeyReading &reading, const EventCoverage &eventCoverage) const
{
    const bool hasSameEnd = reading.deadline && m_state.deadline && reading.deadline->agreesWith(*m_state.deadline);
    return m_state.isOverwritten || m_state.unnamedChanges > 0 || m_state.isValueStale
        || !(hasSameEnd || m_state.isUnwritten(eventCoverage));
}

/// Returns the change that a reading at an existing key reveals; absent if nothing has changed.
std::optional<Type> KeyChangeDetector::classify(const KeyReading &reading, const EventCoverage &eventCoverage) const
{
    if (reading.value && m_state.value && *reading.value != *m_state.value) {
        const bool isOneValue = reading.value->type == KeyType::String || reading.value->type != m_state.value->type;
        if (!isOneValue)
            return hasFlushEndedHold() ? Type::Replaced : Type::Changed;
        const bool wasThereAllTheTime = m_state.isCovered && eventCoverage.depth == Depth::Events
                                     && eventCoverage.reportsFlushes && m_state.isOverwritten && !m_state.flushedAt;
        return wasThereAllTheTime ? Type::HandedOver : Type::Replaced;
    }
    // The flush may have concerned another database. Otherwise, another hold with the same value has begun.
    if (m_state.isWrittenSinceFlush && reading.value && m_state.value)
        return eventCoverage.depth == Depth::Events ? Type::Replaced : Type::Changed;
    if (const auto type = evaluateEnds(reading)) {
        if (mayBeFlushed(eventCoverage))
            return hasFlushEndedHold() ? Type::Replaced : Type::Changed;
        // A value that is read for the first time, with another expiry, may belong to another hold. The expiry may
        // belong to another hold too, if the known value was not read again, or if an unread value was overwritten.
        const bool isValueUnknown =
            reading.value.has_value() != m_state.value.has_value() || (!reading.value && m_state.isOverwritten);
        const bool mayBeAnothers = isValueUnknown && !m_state.isUnwritten(eventCoverage);
        return mayBeAnothers || isUnreported(reading, eventCoverage) ? Type::Changed : *type;
    }
    return reading.value && !m_state.value ? std::optional(Type::FirstRead) : std::nullopt;
}

/// Returns whether a flush was counted since the last reading: without change events, the same value under a later
/// expiry may be that of another hold. The flush may have concerned another database.
bool KeyChangeDetector::mayBeFlushed(const EventCoverage &eventCoverage) const
{
    return eventCoverage.depth == Depth::None && m_state.flushedAt.has_value();
}

std::optional<Type> KeyChangeDetector::evaluateEnds(const KeyReading &reading) const
{
    if (!reading.deadline || !m_state.deadline)
        return std::nullopt;
    switch (keys::expiryChange(*m_state.deadline, m_state.longestTimeLeft, *reading.deadline, reading.answered)) {
    case ExpiryChange::None:
        return std::nullopt;
    case ExpiryChange::Renewed:
        return Type::Renewed;
    case ExpiryChange::Moved:
        break;
    }
    const bool isSameValue = reading.value && m_state.value;
    const bool isLater = !m_state.deadline->isNever() && reading.deadline->at() > m_state.deadline->at();
    return isSameValue && isLater && !reading.deadline->isNever() ? Type::Renewed : Type::Changed;
}

/// Returns whether the expiry has changed without a notification. The cause is then no command on the key, but a jump
/// of the server's clock or SWAPDB.
bool KeyChangeDetector::isUnreported(const KeyReading &reading, const EventCoverage &eventCoverage) const
{
    return reading.source != Source::OwnCommand && m_state.isCovered && eventCoverage.depth != Depth::None
        && !m_state.isOverwritten && !m_state.isTouched && m_state.unnamedChanges == 0 && !m_state.changes
        && !m_state.isDeadlineStale;
}

void KeyChangeDetector::applyGone(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out)
{
    applyUnplacedPresence(eventCoverage, out);
    if (m_state.presence == Presence::Present) {
        const Ending ending = endingOf(m_state, reading, eventCoverage);
        if (m_state.appearance)
            out.push_back(unreadAppeared(m_state, ending));
        out.push_back(ended(m_state, ending, reading));
    }
    m_state.setAbsent(reading.asked);
    m_state.goneUntil = reading.answered;
}

/// Applies the reading that found the key gone, now that the key exists again: another hold has begun, and the last
/// notification reports its start.
void KeyChangeDetector::applyUnplacedAbsence(const EventCoverage &eventCoverage, KeyEvents &out)
{
    const std::optional<KeyReading> gone = std::exchange(m_state.unplacedAbsence, std::nullopt);
    if (!gone || m_state.presence != Presence::Present || gone->asked < m_state.lastReading)
        return;
    const Notification last = m_state.lastUnnamedChange;
    const int changes = m_state.unnamedChanges;
    applyGone(*gone, eventCoverage, out);
    noteLaterChanges(changes, last, gone->asked);
}

/// Applies the reading that found the key, now that the key is absent again: the last notification reports its end.
void KeyChangeDetector::applyUnplacedPresence(const EventCoverage &eventCoverage, KeyEvents &out)
{
    const std::optional<KeyReading> found = std::exchange(m_state.unplacedPresence, std::nullopt);
    if (!found || m_state.presence != Presence::Absent || found->asked < m_state.lastReading)
        return;
    const Notification last = m_state.lastUnnamedChange;
    const int changes = m_state.unnamedChanges;
    m_state.unnamedChanges = std::max(1, changes - 1); // One of the changes is the end.
    applyFirstReading(*found, eventCoverage, out);
    noteLaterChanges(changes, last, found->asked);
}

void KeyChangeDetector::keepUnplacedPresence(KeyReading reading)
{
    // A reading of the remaining time alone names no holder.
    if (reading.value || !m_state.unplacedPresence || !m_state.unplacedPresence->value)
        m_state.unplacedPresence = std::move(reading);
}

/// Restores the unnamed changes that may be later than an unplaced reading, which was requested at that time. One of
/// them is the change that the reading shows.
void KeyChangeDetector::noteLaterChanges(int changes, const Notification &last, MonotonicTime reading)
{
    if (changes == 0 || last.received < reading)
        return;
    m_state.unnamedChanges = changes > 2 ? 2 : 1;
    m_state.lastUnnamedChange = {Notification::Kind::Any, Ending::None, last.received, reading};
    m_state.changes = {reading, last.received, last.received};
}

bool KeyChangeDetector::dependsOnFlushes(const KeyReading &reading, const EventCoverage &eventCoverage) const
{
    if (m_state.presence == Presence::Absent)
        return reading.exists && eventCoverage.reportsFlushes;
    if (m_state.presence != Presence::Present)
        return false;
    if (!reading.exists)
        return endingOf(m_state, reading, eventCoverage) == Ending::Removed;
    const auto type = classify(reading, eventCoverage);
    return (type == Type::Renewed || type == Type::Changed) && eventCoverage.reportsFlushes;
}

} // namespace latchkey::events

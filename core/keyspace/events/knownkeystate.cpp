#include "core/keyspace/events/knownkeystate.h"

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using Depth = EventCoverage::Depth;

bool KnownKeyState::isUnwritten(const EventCoverage &eventCoverage) const
{
    return isCovered && eventCoverage.depth != Depth::None && !isOverwritten && !flushedAt && unnamedChanges == 0;
}

bool KnownKeyState::isCertainlySame(const KeyReading &reading, const EventCoverage &eventCoverage) const
{
    return reading.value || isUnwritten(eventCoverage);
}

bool KnownKeyState::isConfirmedBy(const KeyReading &reading) const
{
    if (!isCovered || reading.exists != (presence == Presence::Present))
        return false;
    if (!reading.exists)
        return presence == Presence::Absent && !unplacedPresence;
    return !appearance && !hasChange() && (!reading.value || reading.value == value)
        && (!reading.deadline || (deadline && reading.deadline->agreesWith(*deadline)));
}

std::optional<base::Deadline> KnownKeyState::expiry() const
{
    return presence == Presence::Present && deadline && !deadline->isNever() ? deadline : std::nullopt;
}

MonotonicTime KnownKeyState::earliestEnd() const
{
    return deadline->isNever() ? MonotonicTime::max() : deadline->at() - deadline->uncertainty();
}

void KnownKeyState::take(const KeyReading &reading, bool isSameHold, const EventCoverage &eventCoverage)
{
    const bool isCertain = isCertainlySame(reading, eventCoverage);
    // Without notifications, the same expiry counts as the same hold. It does not prove a time, so valueAsOf is not
    // changed.
    const bool hasSameEnd =
        eventCoverage.depth == Depth::None && reading.deadline && deadline && reading.deadline->agreesWith(*deadline);
    isValueStale = !reading.value && (isValueStale || !(isCertain || hasSameEnd));
    if ((isCertain && !isValueStale) || presence != Presence::Present)
        valueAsOf = reading.asked;
    const bool isUncovered = !isCovered || eventCoverage.depth == Depth::None;
    isDeadlineStale = !reading.deadline && isSameHold
                   && (isDeadlineStale || isUncovered || isTouched || isOverwritten || unnamedChanges > 0);
    if (!isDeadlineStale)
        deadlineAsOf = reading.asked;
    if (!isValueStale && !isDeadlineStale)
        changes.reset();
    if (reading.deadline) {
        const auto left = keys::leftAt(*reading.deadline, reading.answered);
        longestTimeLeft = isSameHold ? std::max(longestTimeLeft, left) : left;
        deadline = reading.deadline;
    } else if (!isSameHold || (reading.value && !value && !isUnwritten(eventCoverage))) {
        deadline.reset(); // The expiry belongs, or may belong, to a former hold; PTTL may be refused.
        isDeadlineStale = false;
        longestTimeLeft = {};
    }
    if (reading.value)
        value = reading.value;
    if (!isSameHold || presence != Presence::Present)
        holdSeen = reading.answered;
    lastReading = reading.asked;
    if (isCertain || !value || presence != Presence::Present)
        lastAlive = reading.asked;
    presence = Presence::Present;
    forgetChanges();
}

void KnownKeyState::setAbsent(MonotonicTime at)
{
    presence = Presence::Absent;
    deadline.reset();
    longestTimeLeft = {};
    isDeadlineStale = false;
    value.reset();
    isValueStale = false;
    lastReading = std::max(lastReading, at);
    forgetChanges();
    changes.reset();
}

void KnownKeyState::forgetChanges()
{
    appearance.reset();
    isOverwritten = false;
    isTouched = false;
    flushedAt.reset();
    flushOfAll.reset();
    isSwapped = false;
    isWrittenSinceFlush = false;
    unnamedChanges = 0;
    firstAskedGone.reset();
    unplacedAbsence.reset();
    unplacedPresence.reset();
}

void KnownKeyState::addChange(const Notification &change)
{
    if (!changes)
        changes = {change.notBefore, change.received, change.received};
    changes->lastReceived = change.received;
}

} // namespace latchkey::events

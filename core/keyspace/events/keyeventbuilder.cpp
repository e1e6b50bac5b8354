#include "core/keyspace/events/keyeventbuilder.h"

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using Type = KeyEvent::Type;
using Depth = EventCoverage::Depth;

namespace {

/// Returns the end of the known hold. The interval begins at the last time at which the hold was certain.
KeyEvent endWithState(const KnownKeyState &state, Ending ending)
{
    KeyEvent event;
    event.type = Type::Ended;
    event.ending = ending;
    event.deadline = state.deadline;
    event.isDeadlineStale = !state.isDeadlineCurrent();
    event.before = state.isOverwritten || state.isValueStale ? std::nullopt : state.value;
    event.notBefore = state.isValueStale ? std::min(state.valueAsOf, state.lastAlive) : state.lastAlive;
    return event;
}

/// Returns whether a scan or a poll has found the new key, and no notification has reported it. The key was then not
/// created by a command on it, but by SWAPDB, or by a jump of the server's clock to a time before its expiry.
bool isUnreported(const KnownKeyState &state, const KeyReading &reading)
{
    const bool isByNotification = reading.source == Source::NotifiedRead || reading.source == Source::OwnCommand;
    return !isByNotification && !state.appearance && state.unnamedChanges == 0;
}

/// Returns whether all changes since the known hold was certain are reported. Otherwise it may have ended before the
/// notification.
bool isHoldReported(const KnownKeyState &state)
{
    return state.isStateReported() && (!state.isValueStale || state.valueAsOf >= state.reportedSince);
}

/// Returns whether the end is the only change since the deadline was read: the server reports changes without names.
bool isEndOnlyChange(const KnownKeyState &state)
{
    return state.unnamedChanges == 1 && !state.flushedAt && !state.mayLastChangeBeOwn() && state.changes
        && state.changes->firstReceived == state.lastUnnamedChange.received;
}

/// Limits the interval of an end by the expiry. `hasOurRead`: a request of this program may have made the server remove
/// the expired key.
void limitEnd(KeyEvent &event, const KnownKeyState &state, bool hasOurRead)
{
    // A request makes the server remove a key only after its expiry.
    const bool isDeadlineKnown = state.deadline && !state.isDeadlineStale && (!state.changes || isEndOnlyChange(state));
    const bool mayHaveExpired = !isDeadlineKnown || event.notAfter >= state.earliestEnd();
    event.mayBeOwnRead =
        hasOurRead && (event.ending == Ending::Expired || (event.ending == Ending::Unknown && mayHaveExpired));
    // The server may remove an expired key, and report it, long after its expiry.
    if (event.ending == Ending::Unknown && state.deadline)
        event.notBefore = std::min(event.notBefore, std::max(state.lastAlive, state.earliestEnd()));
    // A key does not expire before its deadline.
    if (event.late())
        event.notBefore = std::max(event.notBefore, state.earliestEnd());
    event.notBefore = std::min(event.notBefore, event.notAfter);
}

} // namespace

KeyEvent appeared(const KnownKeyState &state, const KeyReading *reading)
{
    KeyEvent event;
    event.type = Type::Appeared;
    event.notBefore = state.lastReading;
    event.notAfter = state.appearance ? state.appearance->received : reading->answered;
    // Unless all changes since the absence are reported, the key may have appeared before the first notification.
    const bool isReported = state.lastReading >= state.reportedSince
                         || (state.appearance && state.appearance->notBefore > state.lastReading);
    if (state.appearance && isReported) {
        event.notBefore = std::max(state.appearance->notBefore, state.lastReading);
        event.firstNotification = state.appearance->received;
    } else if (reading && isReported && state.unnamedChanges > 0 && state.changes && !state.mayLastChangeBeOwn()) {
        // A notification just after an own command may belong to that command.
        event.notBefore = std::max(state.changes->notBefore, state.lastReading);
        event.notAfter = std::max(event.notBefore, std::min(state.changes->lastReceived, reading->answered));
        event.firstNotification = state.changes->firstReceived;
    }
    event.source = reading ? reading->source : Source::Notification;
    if (reading != nullptr) {
        event.deadline = reading->deadline;
        event.after = reading->value;
        // The holder may have changed before the first reading.
        event.isInferred = reading->isInferred || state.isOverwritten || state.unnamedChanges > 1 || state.isSwapped
                        || (isReported && isUnreported(state, *reading));
        if (reading->source == Source::OwnCommand) { // Our own command created the key.
            event.notBefore = reading->asked;
            event.notAfter = reading->answered;
            event.firstNotification.reset();
            event.isInferred = false;
        }
    }
    return event;
}

KeyEvent unreadAppeared(const KnownKeyState &state, Ending ending)
{
    KeyEvent event = appeared(state, nullptr);
    event.isInferred = event.isInferred || ending != Ending::Deleted;
    return event;
}

KeyEvent overwritten(const KnownKeyState &state, const KeyReading *reading, MonotonicTime notAfter)
{
    KeyEvent event;
    event.type = Type::Replaced;
    event.notBefore = state.appearance   ? std::max(state.appearance->notBefore, state.lastReading)
                    : state.isValueStale ? state.valueAsOf
                                         : state.lastReading;
    event.notAfter = notAfter;
    event.source = reading != nullptr ? reading->source : Source::Notification;
    event.isInferred = true;
    event.before = state.value;
    if (reading != nullptr) {
        event.deadline = reading->deadline;
        event.after = reading->value;
    }
    return event;
}

KeyEvent unknownEnded(const Notification &notification)
{
    KeyEvent event;
    event.type = Type::Ended;
    event.ending = notification.ending;
    event.isDeadlineStale = true;
    event.notBefore = notification.notBefore;
    event.notAfter = notification.received;
    event.firstNotification = notification.received;
    event.source = Source::Notification;
    return event;
}

KeyEvent ended(const KnownKeyState &state, Ending ending, const Notification &notification)
{
    KeyEvent event = endWithState(state, ending);
    event.isDeadlineStale = event.isDeadlineStale || !state.isStateReported();
    event.notAfter = notification.received;
    event.source = Source::Notification;
    if (isHoldReported(state)) {
        event.notBefore = std::max(event.notBefore, notification.notBefore);
        event.firstNotification = notification.received;
    }
    const bool hasOurRead =
        state.firstAskedGone && *state.firstAskedGone <= event.notAfter && *state.firstAskedGone >= state.lastAlive;
    limitEnd(event, state, hasOurRead);
    return event;
}

KeyEvent ended(const KnownKeyState &state, Ending ending, const KeyReading &reading)
{
    KeyEvent event = endWithState(state, ending);
    event.notAfter = reading.answered;
    event.source = reading.source;
    event.isInferred = reading.isInferred;
    if (state.unnamedChanges == 1 && !state.flushedAt && !state.mayLastChangeBeOwn() && isHoldReported(state)) {
        event.notBefore = std::max(event.notBefore, state.lastUnnamedChange.notBefore);
        event.notAfter = std::min(event.notAfter, state.lastUnnamedChange.received);
        event.firstNotification = state.lastUnnamedChange.received;
    } else if (ending == Ending::Flushed) {
        event.notAfter = std::min(event.notAfter, *state.flushedAt);
    }
    limitEnd(event, state, true);
    return event;
}

void narrow(KeyEvent &event, const KnownKeyState &state, const EventCoverage &eventCoverage)
{
    const bool isOtherValue = event.type == Type::HandedOver || event.type == Type::Replaced;
    const bool isReceived = state.isCovered && (!state.isValueStale || state.valueAsOf >= eventCoverage.since)
                         && (!state.isDeadlineStale || state.deadlineAsOf >= eventCoverage.since);
    if (!state.changes || !isReceived || event.type == Type::FirstRead)
        return;
    if (isOtherValue && eventCoverage.depth == Depth::Events && !state.isOverwritten)
        return; // No notification reports this change.
    event.notBefore = std::max(event.notBefore, state.changes->notBefore);
    event.notAfter = std::max(event.notBefore, std::min(event.notAfter, state.changes->lastReceived));
    event.firstNotification = state.changes->firstReceived;
}

} // namespace latchkey::events

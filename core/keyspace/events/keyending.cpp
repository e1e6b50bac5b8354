#include "core/keyspace/events/keyending.h"

#include <algorithm>

namespace latchkey::events {

using Depth = EventCoverage::Depth;

namespace {

/// Returns whether no flush can have ended a key that is gone, if none was reported. A change with the key's name is
/// reported for a command on this key only.
bool isFlushExcluded(const KnownKeyState &state, const EventCoverage &eventCoverage)
{
    if (!eventCoverage.reportsFlushes)
        return false;
    return eventCoverage.depth == Depth::None ? state.lastReading >= eventCoverage.since : state.unnamedChanges > 0;
}

/// Returns the ending if the server has reported changes without names.
Ending endingByTouches(const KnownKeyState &state)
{
    // Several changes: a lease may have been shortened, or another hold may have begun and ended.
    if (state.unnamedChanges > 1 || state.flushedAt || !state.isDeadlineKnown())
        return Ending::Unknown;
    if (state.deadline->hasPassed(std::max(state.lastUnnamedChange.notBefore, state.lastAlive)))
        return Ending::Expired;
    return state.lastUnnamedChange.received < state.earliestEnd() && !state.mayLastChangeBeOwn() ? Ending::Removed
                                                                                                 : Ending::Unknown;
}

Ending endingUnlessEvicted(const KnownKeyState &state, const KeyReading &reading, const EventCoverage &eventCoverage)
{
    if (reading.source == Source::OwnCommand)
        return Ending::Deleted;
    const bool isCovered = state.isCovered && eventCoverage.depth != Depth::None;
    if (isCovered && state.unnamedChanges > 0)
        return endingByTouches(state);
    const bool isStale = state.isOverwritten || state.isTouched || !state.isDeadlineKnown();
    if (state.flushedAt && isCovered && !isStale && *state.flushedAt < state.earliestEnd())
        return Ending::Flushed;
    if (isStale || state.flushedAt)
        return Ending::Unknown;
    // The server reports every command that removes a key, but not SWAPDB, and perhaps no flush.
    if (reading.answered < state.earliestEnd())
        return !isCovered && isFlushExcluded(state, eventCoverage) ? Ending::Removed : Ending::Unknown;
    const auto due = isCovered ? state.deadline->at() + state.deadline->uncertainty() : state.earliestEnd();
    return (isCovered ? reading.asked : state.lastAlive) >= due ? Ending::Expired : Ending::Unknown;
}

} // namespace

Ending endingOf(const KnownKeyState &state, const KeyReading &reading, const EventCoverage &eventCoverage)
{
    const Ending ending = endingUnlessEvicted(state, reading, eventCoverage);
    return ending == Ending::Removed && eventCoverage.mayEvict ? Ending::Unknown : ending;
}

} // namespace latchkey::events

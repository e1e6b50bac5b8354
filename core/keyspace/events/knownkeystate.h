#pragma once

#include "core/keyspace/events/keyreports.h"

namespace latchkey::events {

/// The known state of one key, and the changes reported since it was certain.
///
/// A value. KeyChangeDetector updates it, KeyEventReconciler and the functions of keyeventbuilder.h read it. It draws
/// no conclusions about how the state came about.
struct KnownKeyState
{
    enum class Presence : quint8 { Unknown, Present, Absent };

    /// All changes that were reported since the value was last certain.
    struct Changes
    {
        base::MonotonicTime notBefore;     ///< Start of the interval that contains the first of them.
        base::MonotonicTime firstReceived; ///< End of that interval.
        base::MonotonicTime lastReceived;  ///< Time at which the last notification was received.
    };

    Presence presence = Presence::Unknown;
    std::optional<base::Deadline> deadline;
    std::chrono::milliseconds longestTimeLeft {}; ///< Longest remaining time that was read during this hold.
    bool isDeadlineStale = false;     ///< The expiry may have changed since it was read last; PTTL may be refused.
    base::MonotonicTime deadlineAsOf; ///< Last time at which the expiry was certainly not stale.
    std::optional<keys::RawValue> value;
    bool isValueStale = false;        ///< The key may belong to another hold than the value read last.
    base::MonotonicTime valueAsOf;    ///< Last time at which the value was certainly not stale.
    base::MonotonicTime lastReading;  ///< Last time at which the known state was observed.
    base::MonotonicTime holdSeen;     ///< Time of the first reply that has shown this hold.
    base::MonotonicTime lastAlive;    ///< Last time at which the key was known to exist.
    base::MonotonicTime appliedUntil; ///< Time at which the last applied notification was received.
    base::MonotonicTime goneUntil;    ///< Time of the last reply or notification that reported the key gone.
    bool isCovered = false;           ///< Whether all changes since the last reading are reported.
    base::MonotonicTime reportedSince = base::MonotonicTime::max(); ///< Time since which all changes are reported.
    std::optional<base::MonotonicTime> ownCommandAnswered;          ///< Reply time of the last change by this program.

    // Content of the notifications since the last reading:
    std::optional<Notification> appearance; ///< Notification of a new key, until the first reading of that key.
    bool isOverwritten = false;
    bool isTouched = false;
    std::optional<base::MonotonicTime> flushedAt; ///< Time at which the notification of a flush was received.
    std::optional<Notification> flushOfAll;       ///< The last FLUSHALL.
    bool isSwapped = false;           ///< Databases were swapped, so the key may come from another database.
    bool isWrittenSinceFlush = false; ///< A change that may have created the key was reported after the flush.
    int unnamedChanges = 0;
    Notification lastUnnamedChange;
    std::optional<base::MonotonicTime> firstAskedGone; ///< Request time of the first reading that found the key gone.
    /// Last reading that found the key gone and has no certain position among the notifications.
    std::optional<KeyReading> unplacedAbsence;
    /// Last reading that found the absent key and has no certain position among the notifications.
    std::optional<KeyReading> unplacedPresence;
    std::optional<Changes> changes; ///< Absent: no change was reported since the value was last certain.

    /// Returns the expiry; absent if the key is not known to exist, and for a key without expiry.
    [[nodiscard]] std::optional<base::Deadline> expiry() const;
    /// Returns whether the expiry is that of the current hold.
    [[nodiscard]] bool isDeadlineKnown() const { return deadline && !isDeadlineStale && !(value && isValueStale); }
    /// Returns whether no change was reported since the expiry was read. One unnamed change is permitted, because it
    /// may be the end of the key.
    [[nodiscard]] bool isDeadlineCurrent() const
    {
        return deadline && !isDeadlineStale && !hasNamedChange() && unnamedChanges < 2;
    }
    /// Returns whether a notification has named a write or another change since the last reading.
    [[nodiscard]] bool hasNamedChange() const { return isTouched || isOverwritten; }
    /// Returns whether any change or flush was reported since the last reading.
    [[nodiscard]] bool hasChange() const { return hasNamedChange() || flushedAt || unnamedChanges > 0; }
    /// Returns whether all changes since the known state are reported. A new key may be known from its notification
    /// alone.
    [[nodiscard]] bool isStateReported() const
    {
        return (appearance ? appearance->received : lastReading) >= reportedSince;
    }
    /// Returns the earliest time at which the known deadline can end the key. Requires a deadline.
    [[nodiscard]] base::MonotonicTime earliestEnd() const;
    /// Returns whether the notifications exclude a write since the last reading.
    [[nodiscard]] bool isUnwritten(const EventCoverage &eventCoverage) const;
    /// Returns whether the key certainly holds a known value: the reading contains it, or the notifications exclude a
    /// write.
    [[nodiscard]] bool isCertainlySame(const KeyReading &reading, const EventCoverage &eventCoverage) const;
    /// Returns whether the last unnamed change may be the effect of a command of this program.
    [[nodiscard]] bool mayLastChangeBeOwn() const
    {
        return ownCommandAnswered && lastUnnamedChange.notBefore <= *ownCommandAnswered;
    }
    /// Returns whether the reading confirms this state and no notification contradicts it.
    [[nodiscard]] bool isConfirmedBy(const KeyReading &reading) const;

    /// Takes the state of an existing key from the reading. `isSameHold`: whether the reading shows the hold of the
    /// state so far.
    void take(const KeyReading &reading, bool isSameHold, const EventCoverage &eventCoverage);
    void setAbsent(base::MonotonicTime at);
    /// Forgets the changes that notifications have reported: the state is certain.
    void forgetChanges();
    void addChange(const Notification &change);
};

} // namespace latchkey::events

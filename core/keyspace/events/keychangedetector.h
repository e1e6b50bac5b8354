#pragma once

#include "core/keyspace/events/knownkeystate.h"

namespace latchkey::events {

/// A detector of the changes of one key. It applies readings and notifications, in the order in which they were true,
/// to the known state, and derives the key events.
///
/// A missing notification counts as evidence only while the server reports all changes. The detector does not order the
/// reports: see KeyEventReconciler, its owner. Pure: no connection and no clock.
class KeyChangeDetector final
{
public:
    [[nodiscard]] const KnownKeyState &state() const { return m_state; }

    /// Marks the key as absent at that time. No effect if the state of the key is known. `isSwapped`: databases were
    /// swapped since then, so that the key may come from another database.
    void begin(base::MonotonicTime absentAt, bool isSwapped);
    /// Marks the state as uncertain: the key may have ended and reappeared without a notification.
    void markUncertain();
    /// Handles a failover. `hasUnorderedReports`: reports are waiting that may show another state of the key.
    void failOver(bool hasUnorderedReports);
    /// Handles the end of the server's reports. From then on, a missing notification is no evidence.
    void loseEvents();
    /// Sets the time from which all changes are reported.
    void setReportedSince(const EventCoverage &eventCoverage);
    void setOwnCommandAnswered(base::MonotonicTime answered) { m_state.ownCommandAnswered = answered; }

    /// Applies the next report. Appends the events that it makes certain to `out`.
    void apply(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out);
    void apply(const Notification &notification, KeyEvents &out);
    /// Records the times of a reading that confirms the state; see KnownKeyState::isConfirmedBy().
    void confirm(const KeyReading &reading);
    /// Returns whether the meaning of a reading depends on flushes that are not reported yet. After a flush, a renewal
    /// would be another hold, a removal would be the end by the flush, and a new key might come from another database.
    [[nodiscard]] bool dependsOnFlushes(const KeyReading &reading, const EventCoverage &eventCoverage) const;
    /// Records the request time of a reading that found the key gone, before its position among the notifications is
    /// known.
    void addAbsenceRequest(base::MonotonicTime asked);
    /// Keeps a reading that found the key gone and has no certain position among the notifications. It is applied if a
    /// later reading finds the key.
    void keepUnplacedAbsence(KeyReading reading) { m_state.unplacedAbsence = std::move(reading); }
    /// Keeps a reading that found the absent key and has no certain position among the notifications. It is applied if
    /// a later reading does not find the key: the key has appeared and ended in between.
    void keepUnplacedPresence(KeyReading reading);

private:
    void evaluateFailover(const KeyReading &reading, std::size_t first, KeyEvents &out);
    void applyEnd(const Notification &notification, KeyEvents &out);
    void applyThere(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out);
    void applyFirstReading(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out);
    void applyGone(const KeyReading &reading, const EventCoverage &eventCoverage, KeyEvents &out);
    void applyUnplacedAbsence(const EventCoverage &eventCoverage, KeyEvents &out);
    void applyUnplacedPresence(const EventCoverage &eventCoverage, KeyEvents &out);
    void noteLaterChanges(int changes, const Notification &last, base::MonotonicTime reading);
    void applyFlush(const Notification &flush);
    void endByFlush(const KeyReading &reading, KeyEvents &out);
    [[nodiscard]] bool hasFlushEndedHold() const;
    [[nodiscard]] bool mayBeFlushed(const EventCoverage &eventCoverage) const;
    [[nodiscard]] bool mayBeOfLaterHold(const KeyReading &reading, const EventCoverage &eventCoverage) const;
    [[nodiscard]] std::optional<KeyEvent::Type> classify(const KeyReading &reading,
                                                         const EventCoverage &eventCoverage) const;
    [[nodiscard]] std::optional<KeyEvent::Type> evaluateEnds(const KeyReading &reading) const;
    [[nodiscard]] bool isUnreported(const KeyReading &reading, const EventCoverage &eventCoverage) const;

    KnownKeyState m_state;
    bool m_isFailedOver = false;       ///< True from a failover until a reading contains the value.
    bool m_wasKnownAtFailover = false; ///< Whether no change of the key was unread when the failover was noticed.
};

} // namespace latchkey::events

#pragma once

#include "core/keyspace/events/keychangedetector.h"

#include <array>

namespace latchkey::events {

/// A reconciler of the two streams of reports on one followed key. It finds the order in which readings and
/// notifications were true, and passes them in that order to a KeyChangeDetector, which derives the key events.
///
/// The streams use two connections, so a reading and a notification received after the reading's request can be in
/// either order. Both are therefore collected until all changes before the reading's reply have been received. A
/// reading that still fits several positions among the notifications is ignored. It is also ignored if a notification
/// received since its request has been applied before its reply. With unnamed events there is one exception: a reading
/// that contradicts the known state is applied when a later reading confirms that state, because the key has ended and
/// appeared again, or appeared and ended, in between. Pure: no connection and no clock. Owned by the KeyEventTracker.
class KeyEventReconciler final
{
public:
    /// Marks the key as absent at that time, so that its first appearance is reported. No effect if its state is known.
    /// `isSwapped`: databases were swapped since then.
    void begin(base::MonotonicTime absentAt, bool isSwapped) { m_detector.begin(absentAt, isSwapped); }

    /// Marks the state as uncertain after a restart or a denied read: the key may have ended and reappeared unreported.
    /// If a later reading does not find the key, its ending is unknown.
    void markUncertain() { m_detector.markUncertain(); }

    /// Handles a failover: another server, which may lack the last writes, has taken over. A key that the next reading
    /// does not find is lost, unless it has expired or may have changed since the last reading.
    void failOver() { m_detector.failOver(isPending()); }

    /// Processes a reading. Appends the events that it makes certain to `out`, now or in settle().
    void add(KeyReading reading, const EventCoverage &eventCoverage, KeyEvents &out);
    /// Processes a notification of the server, such as `expired`. It was received at `received`; the change happened
    /// after `notBefore`.
    void addNotification(const QByteArray &event, base::MonotonicTime received, base::MonotonicTime notBefore);
    /// Processes the notification that all keys were removed or exchanged, with the same times.
    void addFlush(FlushKind kind, base::MonotonicTime received, base::MonotonicTime notBefore);
    /// Applies all reports up to that time, because all earlier changes have been received.
    void settle(base::MonotonicTime upTo, const EventCoverage &eventCoverage, KeyEvents &out);
    /// Applies the collected reports with `until`, the event coverage so far, because the events that the server
    /// reports change. From then on a missing notification is no evidence until the next reading. A reading that waits
    /// for the number of flushes is applied without the number.
    void loseEvents(const EventCoverage &until, KeyEvents &out);
    /// Returns whether a reading or a notification waits for settle().
    [[nodiscard]] bool isPending() const { return !m_readings.empty() || !m_notifications.empty(); }

    /// Returns the expiry; absent if the key is not known to exist, and for a key without expiry.
    [[nodiscard]] std::optional<base::Deadline> dueAt() const { return state().expiry(); }

private:
    /// The expected notification of a change by this program, not received yet.
    struct Echo
    {
        Notification::Kind kind = Notification::Kind::End;
        base::MonotonicTime answered; ///< Time of the reply; the change was carried out before it.
    };

    [[nodiscard]] const KnownKeyState &state() const { return m_detector.state(); }
    void addOwnCommand(const KeyReading &reply, const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] Notification::Kind echoKind(const KeyReading &reply) const;
    [[nodiscard]] bool isEcho(const Notification &notification);
    [[nodiscard]] std::size_t notificationsUpTo(const KeyReading &reply) const;
    [[nodiscard]] std::size_t replayableNotifications() const { return m_echoes.empty() ? m_notifications.size() : 0; }
    void replay(std::vector<KeyReading> readings, std::size_t notificationCount, const EventCoverage &eventCoverage,
                KeyEvents &out);
    void replayCounted(const std::vector<KeyReading> &readings, const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] bool isBeforeItsValue(const KeyReading &reading, std::size_t notifications) const;
    [[nodiscard]] bool areOfExpiry(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::optional<std::size_t> positionOf(const KeyReading &reading, EventCoverage::Depth depth) const;
    [[nodiscard]] std::vector<std::optional<bool>> presences() const;
    [[nodiscard]] bool isBeforeOwnCommand(const KeyReading &reading) const;
    [[nodiscard]] bool isOfKnownEnd(const KeyReading &reading) const;
    [[nodiscard]] bool isOvertaken(const KeyReading &reading) const;

    KeyChangeDetector m_detector;
    std::vector<KeyReading> m_readings;                ///< In the order of their replies.
    std::vector<Notification> m_notifications;         ///< In the order of their arrival.
    std::vector<Echo> m_echoes;                        ///< Expected notifications, in the order of the changes.
    std::array<base::MonotonicTime, 3> m_lastReceived; ///< Times of the last notifications of End, Write and Touch.
};

} // namespace latchkey::events

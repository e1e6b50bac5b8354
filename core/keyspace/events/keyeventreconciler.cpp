#include "core/keyspace/events/keyeventreconciler.h"

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::events {

using base::Deadline;
using base::MonotonicTime;
using Presence = KnownKeyState::Presence;
using Depth = EventCoverage::Depth;

namespace {

/// Limit of waiting notifications. Older notifications are applied without readings, because no reading can be placed
/// beside them.
constexpr std::size_t maxNotifications = 1000;

/// Returns the ending that an event reports; absent for an event after which the key exists.
std::optional<Ending> endingAfter(const QByteArray &event)
{
    if (event == "expired")
        return Ending::Expired;
    if (event == "evicted")
        return Ending::Evicted;
    if (event == "del" || event == "rename_from" || event == "move_from")
        return Ending::Deleted;
    return std::nullopt;
}

/// Returns whether the event precedes the change that it names, or names a key that does not exist.
bool isIrrelevant(const QByteArray &event)
{
    return event == "new" || event == "overwritten" || event == "type_changed" || event == "keymiss";
}

/// Returns whether the event reports a new value, whatever the key held before.
bool isWrite(const QByteArray &event)
{
    return event == "set" || event == "restore" || event == "rename_to" || event == "move_to" || event == "copy_to"
        || event.endsWith("store");
}

/// Returns whether the command of the event changes only an existing key.
bool needsKey(const QByteArray &event)
{
    constexpr std::array events {"expire", "persist", "hdel", "hexpire", "hpersist", "hexpired", "ltrim", "lrem",
                                 "lset",   "lpop",    "rpop", "srem",    "spop",     "zrem",     "xdel",  "xtrim"};
    return std::ranges::any_of(events, [&](const char *name) { return event == name; });
}

/// Returns the coverage for readings that wait for the number of flushes, and are applied without it. Without change
/// events, no flush is excluded then.
EventCoverage withoutUncountedFlushes(EventCoverage eventCoverage)
{
    eventCoverage.reportsFlushes = eventCoverage.reportsFlushes && eventCoverage.depth != Depth::None;
    return eventCoverage;
}

} // namespace

void KeyEventReconciler::addNotification(const QByteArray &event, MonotonicTime received, MonotonicTime notBefore)
{
    if (isIrrelevant(event))
        return;
    Notification notification {Notification::Kind::Touch, Ending::None, received, notBefore};
    if (event.isEmpty()) {
        notification.kind = Notification::Kind::Any;
    } else if (const auto ending = endingAfter(event)) {
        notification.kind = Notification::Kind::End;
        notification.ending = *ending;
    } else if (isWrite(event)) {
        notification.kind = Notification::Kind::Write;
    }
    notification.mayCreate = !needsKey(event);
    if (isEcho(notification))
        return;
    if (notification.kind <= Notification::Kind::Touch)
        m_lastReceived[static_cast<std::size_t>(notification.kind)] = received;
    m_notifications.push_back(notification);
}

/// Returns whether the notification belongs to a command of this program that was reported already. If so, drops the
/// waiting notifications. They were received between the command's reply and this notification, so they are older than
/// the command, which found the key in the shown state.
bool KeyEventReconciler::isEcho(const Notification &notification)
{
    std::erase_if(m_echoes, [&](const Echo &echo) { return echo.answered < notification.notBefore; });
    const auto echo = std::ranges::find(m_echoes, notification.kind, &Echo::kind);
    if (echo == m_echoes.end())
        return false;
    m_echoes.erase(m_echoes.begin(), echo + 1);
    m_notifications.clear();
    return true;
}

void KeyEventReconciler::addFlush(FlushKind kind, MonotonicTime received, MonotonicTime notBefore)
{
    m_notifications.push_back({Notification::Kind::Flush, Ending::None, received, notBefore, kind});
}

void KeyEventReconciler::add(KeyReading reading, const EventCoverage &eventCoverage, KeyEvents &out)
{
    if (reading.source == Source::OwnCommand) {
        m_detector.setOwnCommandAnswered(reading.answered);
        addOwnCommand(reading, eventCoverage, out);
        return;
    }
    if (isBeforeOwnCommand(reading) || isOfKnownEnd(reading) || isOvertaken(reading))
        return;
    if (eventCoverage.depth == Depth::None) {
        if (!m_readings.empty() || m_detector.dependsOnFlushes(reading, eventCoverage))
            m_readings.push_back(std::move(reading)); // Waits for the number of flushes.
        else
            m_detector.apply(reading, eventCoverage, out);
    } else if (!isPending() && state().isConfirmedBy(reading)) {
        m_detector.confirm(reading);
    } else if (eventCoverage.depth == Depth::Keys && reading.exists && state().presence == Presence::Unknown) {
        // The known state begins with this reading, so an older reading contains nothing about it. A kept notification
        // of an older change only makes a verdict less certain.
        std::erase_if(m_readings, [&](const KeyReading &waiting) { return waiting.asked < reading.asked; });
        std::erase_if(m_notifications,
                      [&](const Notification &notification) { return notification.received < reading.asked; });
        m_detector.apply(reading, eventCoverage, out);
    } else {
        m_readings.push_back(std::move(reading));
    }
}

/// Applies the reply to an own command at once, because it is certain. The value that the command has compared is
/// certain too: a reading at a single moment. With unnamed events, no notification received meanwhile could be ordered
/// before or after that reading.
void KeyEventReconciler::addOwnCommand(const KeyReading &reply, const EventCoverage &eventCoverage, KeyEvents &out)
{
    std::optional<KeyReading> compared;
    if (!m_readings.empty() && isFromConditionalChange(m_readings.back()) && m_readings.back().asked == reply.asked) {
        compared = std::move(m_readings.back());
        m_readings.pop_back();
    }
    // A reading that overlaps the command may be older or newer than the command.
    std::erase_if(m_readings, [&](const KeyReading &reading) { return reading.answered > reply.asked; });
    if (compared && eventCoverage.depth == Depth::Events)
        m_readings.push_back(*std::exchange(compared, std::nullopt));
    replay(std::exchange(m_readings, {}), notificationsUpTo(reply), withoutUncountedFlushes(eventCoverage), out);
    if (compared && !isOfKnownEnd(*compared))
        m_detector.apply(*compared, eventCoverage, out);
    const Notification::Kind kind = echoKind(reply);
    const MonotonicTime received = m_lastReceived[static_cast<std::size_t>(kind)];
    const bool isReceived = received > reply.asked;
    if (isReceived && !reply.exists && state().appearance && state().appearance->received > received)
        return; // Another client has taken the key since.
    if (!isReceived && eventCoverage.depth == Depth::Events && state().presence != Presence::Unknown)
        m_echoes.push_back({kind, reply.answered});
    m_detector.apply(reply, eventCoverage, out);
}

/// Returns the kind of the notification that the server sends for an own command.
Notification::Kind KeyEventReconciler::echoKind(const KeyReading &reply) const
{
    if (!reply.exists)
        return Notification::Kind::End;
    return state().presence == Presence::Present && !state().appearance ? Notification::Kind::Touch
                                                                        : Notification::Kind::Write;
}

/// Returns the number of notifications that are older than the own command. Those after the notification of its
/// deletion are newer.
std::size_t KeyEventReconciler::notificationsUpTo(const KeyReading &reply) const
{
    if (reply.exists)
        return replayableNotifications();
    const auto end = std::ranges::find_if(m_notifications, [&](const Notification &n) {
        return n.kind == Notification::Kind::End && n.received > reply.asked;
    });
    const auto count = static_cast<std::size_t>(end - m_notifications.begin()) + (end == m_notifications.end() ? 0 : 1);
    return std::min(replayableNotifications(), count);
}

/// Returns whether the reading may be older than the last own command: the two use two connections.
bool KeyEventReconciler::isBeforeOwnCommand(const KeyReading &reading) const
{
    return state().ownCommandAnswered && reading.asked < *state().ownCommandAnswered;
}

/// Returns whether the reading shows the value that a command of this program has compared, and the end by that command
/// is already known from a reading or a notification.
bool KeyEventReconciler::isOfKnownEnd(const KeyReading &reading) const
{
    return isFromConditionalChange(reading) && state().presence == Presence::Absent
        && reading.asked < state().goneUntil;
}

/// Returns whether a notification that was received after the reading's request is already applied. The reading may be
/// older than the change, and its place among the notifications can no longer be found. The watcher reads the key again
/// after each notification.
bool KeyEventReconciler::isOvertaken(const KeyReading &reading) const
{
    return reading.asked < state().appliedUntil && !isFromConditionalChange(reading);
}

void KeyEventReconciler::settle(MonotonicTime upTo, const EventCoverage &eventCoverage, KeyEvents &out)
{
    std::erase_if(m_echoes, [&](const Echo &echo) { return echo.answered <= upTo; });
    std::vector<KeyReading> settled;
    auto unsettledFrom = MonotonicTime::max();
    std::vector<KeyReading> waiting;
    for (KeyReading &reading : m_readings) {
        if (reading.answered <= upTo && reading.asked < unsettledFrom) {
            settled.push_back(std::move(reading));
        } else {
            unsettledFrom = std::min(unsettledFrom, reading.asked);
            waiting.push_back(std::move(reading));
        }
    }
    const auto held = std::ranges::find_if(
        m_notifications, [&](const Notification &notification) { return notification.received >= unsettledFrom; });
    const auto count = static_cast<std::size_t>(held - m_notifications.begin());
    if (eventCoverage.depth == Depth::None)
        replayCounted(settled, eventCoverage, out);
    else
        replay(std::move(settled), std::min(count, replayableNotifications()), eventCoverage, out);
    m_readings = std::move(waiting);
    if (m_notifications.size() > maxNotifications)
        replay({}, m_notifications.size() - maxNotifications, eventCoverage, out);
}

void KeyEventReconciler::loseEvents(const EventCoverage &until, KeyEvents &out)
{
    replay(std::exchange(m_readings, {}), replayableNotifications(), withoutUncountedFlushes(until), out);
    m_notifications.clear();
    m_echoes.clear();
    m_detector.loseEvents();
}

/// Returns whether the key existed, at the last reading and after each notification; absent: unknown.
std::vector<std::optional<bool>> KeyEventReconciler::presences() const
{
    std::vector<std::optional<bool>> all;
    all.reserve(m_notifications.size() + 1);
    std::optional<bool> exists;
    if (state().presence != Presence::Unknown)
        exists = state().presence == Presence::Present;
    all.push_back(exists);
    for (const Notification &notification : m_notifications) {
        switch (notification.kind) {
        case Notification::Kind::End:
            exists = false;
            break;
        case Notification::Kind::Write:
        case Notification::Kind::Touch:
            exists = true;
            break;
        case Notification::Kind::Flush:
            if (exists == true)
                exists.reset();
            break;
        case Notification::Kind::Any:
            exists.reset();
            break;
        }
        all.push_back(exists);
    }
    return all;
}

/// Returns the number of notifications that precede the reading; absent if several numbers are possible.
std::optional<std::size_t> KeyEventReconciler::positionOf(const KeyReading &reading, Depth depth) const
{
    const auto first =
        std::ranges::find_if(m_notifications, [&](const Notification &n) { return n.received >= reading.asked; });
    const auto least = static_cast<std::size_t>(first - m_notifications.begin());
    if (least == m_notifications.size())
        return least;
    // Only the flush can have ended the key. Perhaps no other reading follows, because the store has dropped the key.
    if (!reading.exists && first->kind == Notification::Kind::Flush && state().presence == Presence::Present
        && least == 0)
        return 1;
    if (depth != Depth::Events)
        return std::nullopt;
    const auto exists = presences();
    std::optional<std::size_t> place;
    for (std::size_t i = least; i < exists.size(); ++i) {
        if (exists[i].value_or(reading.exists) != reading.exists || isBeforeItsValue(reading, i))
            continue;
        if (place && !(reading.exists && areOfExpiry(*place, i)))
            return std::nullopt;
        if (!place)
            place = i;
    }
    return place;
}

/// Returns whether the reading must be later than the first `notifications` notifications. It shows another value than
/// the one that has expired since, and no command can have written that value before these notifications. So the key
/// had been taken again.
bool KeyEventReconciler::isBeforeItsValue(const KeyReading &reading, std::size_t notifications) const
{
    const bool isKnown = state().presence == Presence::Present && state().isCovered && state().value
                      && !state().isValueStale && !state().isOverwritten;
    if (!isKnown || state().appearance || !reading.value || *reading.value == *state().value
        || std::ranges::find(m_notifications, Ending::Expired, &Notification::ending) == m_notifications.end())
        return false;
    return std::all_of(m_notifications.begin(), m_notifications.begin() + static_cast<std::ptrdiff_t>(notifications),
                       [](const Notification &notification) { return notification.kind == Notification::Kind::Touch; });
}

/// Returns whether the notifications between these two places report only a new expiry after a write: `SET … PX` sends
/// one notification of each. A reading shows the same value at all these places, and is put at the first.
bool KeyEventReconciler::areOfExpiry(std::size_t first, std::size_t last) const
{
    return first > 0 && m_notifications[first - 1].kind == Notification::Kind::Write
        && std::all_of(m_notifications.begin() + static_cast<std::ptrdiff_t>(first),
                       m_notifications.begin() + static_cast<std::ptrdiff_t>(last),
                       [](const Notification &notification) { return notification.kind == Notification::Kind::Touch; });
}

/// Applies readings without change events. The waiting notifications report flushes, which were counted between two
/// times. A flush may be older or newer than each reading between these times, so it is applied before each of them and
/// after the last.
void KeyEventReconciler::replayCounted(const std::vector<KeyReading> &readings, const EventCoverage &eventCoverage,
                                       KeyEvents &out)
{
    const std::vector<Notification> flushes = std::exchange(m_notifications, {});
    const auto applyFlushes = [&] {
        for (const Notification &flush : flushes)
            m_detector.apply(flush, out);
    };
    applyFlushes();
    for (const KeyReading &reading : readings) {
        m_detector.apply(reading, eventCoverage, out);
        applyFlushes();
    }
}

void KeyEventReconciler::replay(std::vector<KeyReading> readings, std::size_t notificationCount,
                                const EventCoverage &eventCoverage, KeyEvents &out)
{
    m_detector.setReportedSince(eventCoverage);
    std::vector<std::pair<std::size_t, KeyReading>> placed;
    for (KeyReading &reading : readings) {
        if (!reading.exists)
            m_detector.addAbsenceRequest(reading.asked);
        if (const auto index = positionOf(reading, eventCoverage.depth))
            placed.emplace_back(*index, std::move(reading));
        else if (!reading.exists && eventCoverage.depth == Depth::Keys && state().presence == Presence::Present)
            m_detector.keepUnplacedAbsence(std::move(reading));
        else if (reading.exists && eventCoverage.depth == Depth::Keys && state().presence == Presence::Absent)
            m_detector.keepUnplacedPresence(std::move(reading));
    }
    std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, KeyReading>::first);
    const std::vector<Notification> notifications(
        m_notifications.begin(), m_notifications.begin() + static_cast<std::ptrdiff_t>(notificationCount));
    m_notifications.erase(m_notifications.begin(),
                          m_notifications.begin() + static_cast<std::ptrdiff_t>(notificationCount));
    auto next = placed.cbegin();
    for (std::size_t i = 0; i <= notifications.size(); ++i) {
        for (; next != placed.cend() && next->first <= i; ++next)
            m_detector.apply(next->second, eventCoverage, out);
        if (i < notifications.size())
            m_detector.apply(notifications[i], out);
    }
}

} // namespace latchkey::events

#include "core/inspect/expectations/keywrites.h"

#include <algorithm>
#include <array>

namespace latchkey::expectations {

using base::MonotonicTime;
using events::KeyEvent;

namespace {

constexpr std::size_t maxNotifications = 1000;

bool isEnd(const QByteArray &event)
{
    constexpr std::array ends {"del", "expired", "evicted", "rename_from", "move_from"};
    return std::ranges::any_of(ends, [&](const char *end) { return event == end; });
}

/// Returns whether the event changes no value: it reports an expiry, or precedes the change that it names.
bool changesNoValue(const QByteArray &event)
{
    constexpr std::array others {"expire", "persist", "hexpire",      "hpersist",   "hexpired",
                                 "new",    "keymiss", "type_changed", "overwritten"};
    return std::ranges::any_of(others, [&](const char *other) { return event == other; });
}

} // namespace

void KeyWrites::add(const events::ChangeNotification &notification, const base::TimeInterval &at)
{
    if (changesNoValue(notification.event))
        return;
    const auto kind = notification.event.isEmpty() ? Notification::Kind::Change
                    : isEnd(notification.event)    ? Notification::Kind::End
                                                   : Notification::Kind::Write;
    m_notifications.push_back({kind, at});
    if (m_notifications.size() > maxNotifications) {
        m_droppedUntil = m_notifications.front().at.latest;
        m_notifications.pop_front();
    }
}

void KeyWrites::dropUntil(MonotonicTime time)
{
    std::erase_if(m_notifications, [time](const Notification &notification) { return notification.at.latest <= time; });
}

LastWrite KeyWrites::lastOf(const LastWrite &known, MonotonicTime lastThere) const
{
    LastWrite last = known;
    if (m_droppedUntil)
        last.changedUntil = std::max(*m_droppedUntil, last.changedUntil.value_or(*m_droppedUntil));
    for (const Notification &notification : m_notifications) {
        if (notification.at.latest <= known.at.latest)
            continue; // The notification of the write that is known.
        if (notification.kind == Notification::Kind::End)
            break; // The tracker is about to report the end.
        if (notification.kind == Notification::Kind::Write) {
            last.at = notification.at;
            last.isSeen = true;
        } else if (notification.at.latest <= lastThere) {
            // A later read found the key, so the change was not its end.
            last.changedUntil = std::max(notification.at.latest, last.changedUntil.value_or(notification.at.latest));
        }
    }
    return last;
}

LastWrite KeyWrites::lastBefore(const KeyEvent &end, const LastWrite &known, MonotonicTime lastThere) const
{
    // Only an end that a notification has reported has a certain place among the notifications of the writes.
    const bool isReported = end.source == events::Source::Notification;
    KeyWrites before;
    before.m_droppedUntil = m_droppedUntil;
    for (const Notification &notification : m_notifications) {
        if (notification.at.latest > end.notAfter
            || (notification.kind == Notification::Kind::End && notification.at.latest == end.notAfter))
            break;
        if (notification.kind == Notification::Kind::End)
            continue;
        const bool isCertain = isReported || notification.at.latest <= end.notBefore;
        before.m_notifications.push_back({isCertain ? notification.kind : Notification::Kind::Change, notification.at});
        if (!isCertain && notification.kind == Notification::Kind::Write)
            lastThere = std::max(lastThere, notification.at.latest);
    }
    return before.lastOf(known, lastThere);
}

} // namespace latchkey::expectations

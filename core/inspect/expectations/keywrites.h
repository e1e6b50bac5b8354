#pragma once

#include "core/foundation/base/timeinterval.h"
#include "core/keyspace/events/keyevent.h"

#include <deque>

namespace latchkey::expectations {

/// The last write of a key, as far as the observations show it. A value.
struct LastWrite
{
    base::TimeInterval at;
    bool isSeen = false; ///< Whether a write was observed; otherwise `at` is the first read.
    /// Last time of a change that may have been a write or a new expiry only. Absent: no such change.
    std::optional<base::MonotonicTime> changedUntil;

    /// Returns the interval that contains the last write, and the possible later one.
    [[nodiscard]] base::TimeInterval interval() const
    {
        return {at.earliest, std::max(at.latest, changedUntil.value_or(at.latest))};
    }
    /// Returns whether a change after the write may have been a write as well.
    [[nodiscard]] bool isUncertain() const { return changedUntil && *changedUntil > at.latest; }

    friend bool operator==(const LastWrite &, const LastWrite &) = default;
};

/// A record of the writes of one key that notifications report.
///
/// A SET of the same value with a new expiry looks like a renewal. Only a notification with a name shows that the
/// change is a write. A notification without a name shows a change that may be a write. Notifications arrive before the
/// tracker derives the events, so they are kept until the end of the key is known. Uses no server and no clock. Owned
/// by an ExpectationEvaluator.
class KeyWrites final
{
public:
    /// Adds a notification. `at.earliest`: all changes before that time were reported by earlier notifications.
    void add(const events::ChangeNotification &notification, const base::TimeInterval &at);
    /// Drops the notifications up to that time.
    void dropUntil(base::MonotonicTime time);

    /// Returns the last write of a key that exists. `known`: last write without the notifications. `lastThere`: request
    /// time of the last read that found the key.
    [[nodiscard]] LastWrite lastOf(const LastWrite &known, base::MonotonicTime lastThere) const;
    /// Returns the last write before this end of the key.
    [[nodiscard]] LastWrite lastBefore(const events::KeyEvent &end, const LastWrite &known,
                                       base::MonotonicTime lastThere) const;

private:
    struct Notification
    {
        enum class Kind : quint8 {
            Write,  ///< A new value, or another element.
            Change, ///< A change without a name.
            End,    ///< The key is gone.
        };
        Kind kind = Kind::Change;
        base::TimeInterval at;
    };

    std::deque<Notification> m_notifications; ///< In the order of the changes.
    std::optional<base::MonotonicTime>
        m_droppedUntil; ///< Time of the last notification that was dropped for lack of space.
};

} // namespace latchkey::expectations

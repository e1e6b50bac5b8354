#pragma once

#include "core/redis/net/session.h"

#include <algorithm>
#include <array>

namespace latchkey::watching {

/// A meter of the longest time between a change on the server and the arrival of its event.
///
/// The time has two parts. On the link an event takes at most as long as a round trip, or as the silence before a reply
/// that is overdue. In the receive buffer, an event waits while this process is busy. The result is an estimate from
/// the last seconds, not a proof. The meter observes the traffic of both sessions, and sends nothing. Owned by
/// ServerEvents; the sessions and the clock are not owned.
class EventDelayMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventDelayMeter)

public:
    /// `session`: the session of the requests. `push`: the session that receives the events.
    EventDelayMeter(net::Session &session, net::Session &push, const base::Clock &clock);
    ~EventDelayMeter() override;

    /// Notes that the event loop is running; to be called many times a second.
    void recordLoopTurn();
    /// Notes the arrival of an event.
    void recordEvent();
    /// Returns the longest delay of the last seconds; absent: no round trip was measured.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> delay() const;

private:
    /// The longest of the durations that were measured within the last one to two seconds.
    class RecentLongest final
    {
    public:
        void add(std::chrono::nanoseconds duration, base::MonotonicTime now);
        [[nodiscard]] std::chrono::nanoseconds get() const { return std::max(m_longest[0], m_longest[1]); }

    private:
        std::array<std::chrono::nanoseconds, 2> m_longest {}; ///< Of the current interval, and of the one before.
        base::MonotonicTime m_from;                           ///< Start of the current interval.
    };
    /// A session, and the time at which its last answered request was sent.
    struct Link
    {
        net::Session *session = nullptr; // Not owned.
        base::MonotonicTime lastAnswered {};
    };
    void observe(std::size_t link);
    void noteTrip(const Link &link, base::MonotonicTime sent, base::MonotonicTime now);

    const base::Clock &m_clock; // Not owned.
    std::array<Link, 2> m_links;
    RecentLongest m_trips;                       ///< Round trips, and silences before overdue replies.
    RecentLongest m_waits;                       ///< Times that events may have waited for this process.
    base::MonotonicTime m_lastTurn;              ///< Time of the last turn at which no data waited.
    std::chrono::nanoseconds m_processorTime {}; ///< Processor time of the thread at m_lastTurn.
};

} // namespace latchkey::watching

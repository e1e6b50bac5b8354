#include "core/keyspace/watching/eventdelaymeter.h"

#include <QPointer>

#include <ctime>

namespace latchkey::watching {

using base::MonotonicTime;
using net::Connection;
using net::Session;
using namespace std::chrono_literals;

namespace {

/// Interval of RecentLongest; the one before counts too.
constexpr auto recentInterval = 1s;

/// Returns the processor time that this thread has used.
std::chrono::nanoseconds threadTime()
{
    timespec time {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

void EventDelayMeter::RecentLongest::add(std::chrono::nanoseconds duration, MonotonicTime now)
{
    if (now - m_from > recentInterval) {
        m_longest = {0ns, now - m_from > 2 * recentInterval ? 0ns : m_longest.front()};
        m_from = now;
    }
    m_longest.front() = std::max(m_longest.front(), duration);
}

EventDelayMeter::EventDelayMeter(Session &session, Session &push, const base::Clock &clock)
    : m_clock(clock)
    , m_links {Link {&session}, Link {&push}}
    , m_lastTurn(clock.now())
{
    for (std::size_t link = 0; link < m_links.size(); ++link)
        observe(link);
}

EventDelayMeter::~EventDelayMeter() = default;

void EventDelayMeter::observe(std::size_t link)
{
    const auto replied = [alive = QPointer<EventDelayMeter>(this),
                          link](const base::Result<Connection::Delivery> &delivery) {
        if (!alive || !delivery)
            return;
        alive->noteTrip(alive->m_links[link], delivery->sent, delivery->received);
        alive->m_links[link].lastAnswered = delivery->sent;
    };
    m_links[link].session->addTrafficObserver(
        [replied](const resp::Commands &) -> Connection::ReplyObserver { return replied; });
}

/// Notes the time since a request was sent. If it is unusually long, the link may have been slow before the request,
/// from the last answered one on. Its reply may have been received late, so the time of its sending counts.
void EventDelayMeter::noteTrip(const Link &link, MonotonicTime sent, MonotonicTime now)
{
    constexpr auto margin = 20ms;
    const bool isOverdue = now - sent > margin + 2 * m_trips.get();
    const MonotonicTime from =
        isOverdue && link.lastAnswered != MonotonicTime() ? std::min(sent, link.lastAnswered) : sent;
    m_trips.add(now - from, now);
}

/// Notes a turn after which no event waits. The event loop may run the timer of the turn before it reads the events
/// that arrived meanwhile, and it reads many events in several turns.
void EventDelayMeter::recordLoopTurn()
{
    for (const Link &link : m_links) {
        const Connection *connection = link.session->connection();
        if (connection != nullptr && connection->hasUnreadData())
            return;
    }
    m_lastTurn = m_clock.now();
    m_processorTime = threadTime();
}

void EventDelayMeter::recordEvent()
{
    constexpr auto lateTurn = 50ms; // Turns come every 33 ms, or every 66 ms in a first scan.
    constexpr int share = 4;        // Other processes may have most of the processor.
    const MonotonicTime now = m_clock.now();
    const auto sinceTurn = now - m_lastTurn;
    const auto busy = std::min<std::chrono::nanoseconds>(sinceTurn, share * (threadTime() - m_processorTime));
    m_waits.add(sinceTurn > lateTurn ? sinceTurn : busy, now);
    for (const Link &link : m_links) {
        const Connection *connection = link.session->connection();
        if (const auto sent = connection != nullptr ? connection->oldestUnanswered() : std::nullopt)
            noteTrip(link, *sent, now);
    }
}

std::optional<std::chrono::nanoseconds> EventDelayMeter::delay() const
{
    const auto roundTrip = m_links[0].session->roundTrip();
    if (!roundTrip)
        return std::nullopt;
    return std::max({*roundTrip, m_links[1].session->roundTrip().value_or(0ns), m_trips.get()}) + m_waits.get();
}

} // namespace latchkey::watching

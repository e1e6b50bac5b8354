#include "core/keyspace/watching/flushcounter.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::watching {

using net::Connection;
using net::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Shortest time between two requests. The server formats hundreds of lines for each reply.
constexpr milliseconds countPause = 100ms;
/// Interval without a call of request(), so that an old flush is not taken for a recent one.
constexpr milliseconds countInterval = 5s;
/// Interval after a refusal, which may end.
constexpr milliseconds countRefusalInterval = 30s;
constexpr auto countTimeout = 10s;

} // namespace

FlushCounter::FlushCounter(Session &session, const events::ObservationDispatcher &dispatcher, const base::Clock &clock,
                           QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_dispatcher(dispatcher)
    , m_clock(clock)
    , m_evictions(session, clock)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &FlushCounter::send);
    connect(&m_session, &Session::stateChanged, this, &FlushCounter::sessionChanged);
    connect(&m_evictions, &EvictionCounter::evictingChanged, this, [this] {
        if (m_isStarted && m_counts)
            deliverCoverage(true, m_clock.now());
    });
}

FlushCounter::~FlushCounter() = default;

void FlushCounter::start()
{
    if (std::exchange(m_isStarted, true))
        return;
    m_counts.reset(); // No flush since the last number was noticed.
    sessionChanged();
}

void FlushCounter::stop()
{
    m_isStarted = false;
    m_isPending = false;
    m_next.stop();
    m_requests.use(nullptr);
}

void FlushCounter::sessionChanged()
{
    if (!m_isStarted)
        return;
    m_isPending = false;
    m_next.stop();
    const bool isReady = m_session.state() == Session::State::Ready;
    m_requests.use(isReady ? m_session.connection() : nullptr);
    if (!isReady)
        return;
    const QString &runId = m_session.server().runId;
    if (std::exchange(m_runId, runId) != runId || runId.isEmpty())
        m_counts.reset(); // The process that restarted, or another one, has its own statistics.
    send();
}

void FlushCounter::request()
{
    if (!m_counts || m_isPending || m_requests.connection() == nullptr)
        return;
    const auto wait = std::chrono::ceil<milliseconds>(m_sent + countPause - m_clock.now());
    if (!m_next.isActive() || m_next.remainingTimeAsDuration() > wait)
        m_next.start(std::max(wait, 0ms));
}

void FlushCounter::send()
{
    if (m_requests.connection() == nullptr)
        return;
    m_isPending = true;
    m_sent = m_clock.now();
    m_evictions.count(); // Before the flushes, so that evictions are delivered before the time of the count.
    m_requests.sendIgnoringErrors({{QByteArrayLiteral("INFO"), QByteArrayLiteral("commandstats")}}, countTimeout,
                                  [this](const Connection::Delivery &delivery) { received(delivery); });
}

void FlushCounter::received(const Connection::Delivery &delivery)
{
    m_isPending = false;
    const resp::Reply &reply = delivery.replies.front();
    if (reply.isError() && resp::isTemporaryRefusal(resp::serverError(reply).kind)) {
        m_next.start(countInterval);
        return;
    }
    const std::optional<resp::FlushCounts> counts = resp::flushCounts(reply);
    m_next.start(counts ? countInterval : countRefusalInterval);
    const std::optional<resp::FlushCounts> former = std::exchange(m_counts, counts);
    if (!counts) {
        if (former)
            deliverCoverage(false, delivery.received);
    } else if (!former) {
        deliverCoverage(true, delivery.sent);
        m_dispatcher.deliverReceivedUpTo(0, delivery.sent);
    } else {
        if (*counts != *former) {
            deliverFlushes(*former, delivery.received);
            Q_EMIT flushed();
        }
        m_dispatcher.deliverReceivedUpTo(0, delivery.sent);
    }
}

/// Delivers a flush for each number that has changed. After CONFIG RESETSTAT, the commands since then are not known.
void FlushCounter::deliverFlushes(const resp::FlushCounts &former, base::MonotonicTime received) const
{
    using events::FlushKind;
    const bool isReset =
        m_counts->flushAll < former.flushAll || m_counts->flushDb < former.flushDb || m_counts->swapDb < former.swapDb;
    if (isReset || m_counts->swapDb > former.swapDb)
        m_dispatcher.deliverFlush(0, received, FlushKind::Swap);
    if (isReset || m_counts->flushDb > former.flushDb)
        m_dispatcher.deliverFlush(0, received, FlushKind::Any);
    if (!isReset && m_counts->flushAll > former.flushAll)
        m_dispatcher.deliverFlush(0, received, FlushKind::All);
}

void FlushCounter::deliverCoverage(bool reportsFlushes, base::MonotonicTime since) const
{
    m_dispatcher.deliverEventCoverage(
        0, {events::EventCoverage::Depth::None, reportsFlushes, since, m_evictions.isEvicting()});
}

} // namespace latchkey::watching

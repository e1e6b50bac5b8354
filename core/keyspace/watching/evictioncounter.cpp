#include "core/keyspace/watching/evictioncounter.h"

#include "core/redis/resp/flushcount.h"

namespace latchkey::watching {

using net::Connection;
using net::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto evictionCountTimeout = 10s;
/// Time after the last eviction in which another one is expected.
constexpr auto evictionPause = 10s;

} // namespace

EvictionCounter::EvictionCounter(Session &session, const base::Clock &clock)
    : m_session(session)
    , m_clock(clock)
{}

EvictionCounter::~EvictionCounter() = default;

void EvictionCounter::count(std::function<void()> counted)
{
    Connection *connection = m_session.connection();
    if (connection == nullptr) {
        if (counted)
            counted();
        return;
    }
    connection->send({{QByteArrayLiteral("INFO"), QByteArrayLiteral("stats")}}, evictionCountTimeout, this,
                     [this, counted = std::move(counted)](const base::Result<Connection::Delivery> &delivery) {
                         if (delivery)
                             take(delivery->replies.front());
                         if (counted)
                             counted();
                     });
}

void EvictionCounter::take(const resp::Reply &reply)
{
    const std::optional<qint64> count = resp::evictionCount(reply);
    if (!count)
        return; // Refused, perhaps for a short time.
    const QString &runId = m_session.server().runId;
    const bool isSameProcess = std::exchange(m_runId, runId) == runId && !runId.isEmpty();
    const std::optional<qint64> former = std::exchange(m_count, count);
    if (isSameProcess && former && *count != *former && *count > 0) // A lower number is that since CONFIG RESETSTAT.
        m_increasedAt = m_clock.now();
    const bool isEvicting = m_increasedAt && m_clock.now() - *m_increasedAt < evictionPause;
    if (std::exchange(m_isEvicting, isEvicting) != isEvicting)
        Q_EMIT evictingChanged();
}

} // namespace latchkey::watching

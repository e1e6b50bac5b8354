#include "core/keyspace/watching/databasesize.h"

namespace latchkey::watching {

using base::MonotonicTime;
using net::Connection;
using namespace std::chrono_literals;

namespace {

/// Interval of requests, so that an empty database is noticed within this time.
constexpr auto sizeInterval = 200ms;
/// Interval after a refusal, which may end.
constexpr auto sizeRefusalInterval = 5s;
constexpr auto sizeTimeout = 10s;

} // namespace

DatabaseSize::DatabaseSize(QObject *parent)
    : QObject(parent)
{}

DatabaseSize::~DatabaseSize() = default;

void DatabaseSize::setConnection(Connection *connection)
{
    ++m_run;
    m_connection = connection;
    m_isAsking = false;
    m_isKnown = false;
    hurry();
}

bool DatabaseSize::ask(MonotonicTime now)
{
    if (now < m_next || m_isAsking || !m_connection)
        return false;
    m_next = now + sizeInterval;
    m_isAsking = true;
    m_connection->send(
        {{QByteArrayLiteral("DBSIZE")}}, sizeTimeout,
        [alive = QPointer<DatabaseSize>(this), run = m_run](const base::Result<Connection::Delivery> &outcome) {
            if (alive && outcome && alive->m_run == run)
                alive->answered(*outcome);
        });
    return true;
}

void DatabaseSize::answered(const Connection::Delivery &delivery)
{
    m_isAsking = false;
    if (!delivery.replies.front().isInteger()) {
        m_next = delivery.received + sizeRefusalInterval;
        return;
    }
    m_isKnown = true;
    m_keys = delivery.replies.front().toInteger();
    Q_EMIT measured(delivery.sent, delivery.received);
}

} // namespace latchkey::watching

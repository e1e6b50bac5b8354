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
    m_requests.use(connection);
    m_isPending = false;
    m_isKnown = false;
    requestSoon();
}

bool DatabaseSize::poll(MonotonicTime now)
{
    if (now < m_next || m_isPending || m_requests.connection() == nullptr)
        return false;
    m_next = now + sizeInterval;
    m_isPending = true;
    m_requests.sendIgnoringErrors({{QByteArrayLiteral("DBSIZE")}}, sizeTimeout,
                                  [this](const Connection::Delivery &delivery) { answered(delivery); });
    return true;
}

void DatabaseSize::answered(const Connection::Delivery &delivery)
{
    m_isPending = false;
    if (!delivery.replies.front().isInteger()) {
        m_next = delivery.received + sizeRefusalInterval;
        return;
    }
    m_isKnown = true;
    m_keys = delivery.replies.front().toInteger();
    Q_EMIT measured(delivery.sent, delivery.received);
}

} // namespace latchkey::watching

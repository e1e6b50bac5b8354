#include "core/keyspace/watching/replicationpoll.h"

namespace latchkey::watching {

using base::MonotonicTime;
using net::Connection;
using namespace std::chrono_literals;

namespace {

/// Interval of requests. A lost primary is noticed within this time.
constexpr auto linkInterval = 1s;
/// Interval for a server that is no replica. It may become one.
constexpr auto primaryInterval = 5s;
constexpr auto replicationTimeout = 10s;

} // namespace

ReplicationPoll::ReplicationPoll() = default;

ReplicationPoll::~ReplicationPoll() = default;

void ReplicationPoll::setConnection(Connection *connection)
{
    m_requests.use(connection);
    m_isPending = false;
    m_next = {};
}

resp::Commands ReplicationPoll::poll(MonotonicTime now)
{
    if (now < m_next || m_isPending || m_requests.connection() == nullptr)
        return {};
    m_isPending = true;
    resp::Commands request {{QByteArrayLiteral("INFO"), QByteArrayLiteral("replication")}};
    m_requests.sendIgnoringErrors(request, replicationTimeout, [this](const Connection::Delivery &delivery) {
        m_isPending = false;
        const resp::Reply &reply = delivery.replies.front();
        m_isReplica = reply.isBulk() && reply.bytes().contains("role:slave");
        m_next = delivery.received + (m_isReplica ? linkInterval : primaryInterval);
    });
    return request;
}

} // namespace latchkey::watching

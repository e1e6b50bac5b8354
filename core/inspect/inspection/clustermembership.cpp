#include "core/inspect/inspection/clustermembership.h"

#include "core/redis/net/connection.h"

namespace latchkey::inspection {

using net::Connection;
using resp::ClusterPart;
using namespace std::chrono_literals;

namespace {

constexpr auto replyTimeout = 5s;

} // namespace

ClusterMembership::ClusterMembership(net::Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    m_retryTimer.setInterval(1min);
    connect(&m_retryTimer, &QTimer::timeout, this, &ClusterMembership::request);
    connect(&m_session, &net::Session::stateChanged, this, &ClusterMembership::request);
}

void ClusterMembership::request()
{
    Connection *const connection = m_session.connection();
    if (connection == nullptr) {
        m_retryTimer.stop();
        return;
    }
    if (m_session.server().mode != u"cluster") {
        learn(std::nullopt);
        return;
    }
    m_retryTimer.start();
    connection->send({{"CLUSTER", "NODES"}}, replyTimeout, this,
                     [this](const base::Result<Connection::Delivery> &delivery) {
                         if (delivery)
                             learn(ClusterPart::fromNodes(delivery->replies.front()));
                     });
}

void ClusterMembership::learn(const std::optional<ClusterPart> &part)
{
    const auto known = part && part->of > 1 ? part : std::nullopt;
    if (known == m_part)
        return;
    m_part = known;
    Q_EMIT changed();
}

} // namespace latchkey::inspection

#include "core/inspect/inspection/clusterplace.h"

#include "core/redis/net/connection.h"

namespace latchkey::inspection {

using net::Connection;
using resp::ClusterPart;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 5s;

} // namespace

ClusterPlace::ClusterPlace(net::Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    m_again.setInterval(1min);
    connect(&m_again, &QTimer::timeout, this, &ClusterPlace::ask);
    connect(&m_session, &net::Session::stateChanged, this, &ClusterPlace::ask);
}

void ClusterPlace::ask()
{
    Connection *const connection = m_session.connection();
    if (connection == nullptr) {
        m_again.stop();
        return;
    }
    if (m_session.server().mode != u"cluster") {
        learn(std::nullopt);
        return;
    }
    m_again.start();
    connection->send({{"CLUSTER", "NODES"}}, patience, this,
                     [this](const base::Result<Connection::Delivery> &delivery) {
                         if (delivery)
                             learn(ClusterPart::fromNodes(delivery->replies.front()));
                     });
}

void ClusterPlace::learn(const std::optional<ClusterPart> &part)
{
    const auto known = part && part->of > 1 ? part : std::nullopt;
    if (known == m_part)
        return;
    m_part = known;
    Q_EMIT changed();
}

} // namespace latchkey::inspection

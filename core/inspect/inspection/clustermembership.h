#pragma once

#include "core/redis/net/session.h"
#include "core/redis/resp/clusternodes.h"

#include <QObject>
#include <QTimer>

namespace latchkey::inspection {

/// The part of a cluster that the server of a session serves. One node does not have all keys of the cluster.
///
/// CLUSTER NODES is sent only if the server reports cluster mode: after each connect and then once a minute, because a
/// cluster can grow. The last answer is kept while the connection is lost. Owned by the owner of the session; the
/// session is not owned.
class ClusterMembership final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterMembership)

public:
    explicit ClusterMembership(net::Session &session, QObject *parent = nullptr);

    /// Returns the part that the server serves. Absent for a standalone server, for the only node of a cluster, and if
    /// the server does not report it.
    [[nodiscard]] const std::optional<resp::ClusterPart> &part() const { return m_part; }

Q_SIGNALS:
    void changed();

private:
    void request();
    void learn(const std::optional<resp::ClusterPart> &part);

    net::Session &m_session;
    std::optional<resp::ClusterPart> m_part;
    QTimer m_retryTimer;
};

} // namespace latchkey::inspection

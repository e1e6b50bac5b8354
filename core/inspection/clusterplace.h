#pragma once

#include "core/resp/clusternodes.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

namespace latchkey::inspection {

/// Which part of a cluster the server of a session serves: what is seen of one node is not all that the cluster has.
///
/// Only a server that says of itself that it is a cluster's is asked, when it has been connected to and once a minute
/// from then on, since a cluster can grow. What was known is kept while the server is away. Owned beside the session,
/// which is not owned.
class ClusterPlace final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterPlace)

public:
    explicit ClusterPlace(resp::Session &session, QObject *parent = nullptr);

    /// Absent: it is a server of its own, the only node of its cluster, or does not say.
    [[nodiscard]] const std::optional<resp::ClusterPart> &part() const { return m_part; }

Q_SIGNALS:
    void changed();

private:
    void ask();
    void learn(const std::optional<resp::ClusterPart> &part);

    resp::Session &m_session;
    std::optional<resp::ClusterPart> m_part;
    QTimer m_again;
};

} // namespace latchkey::inspection

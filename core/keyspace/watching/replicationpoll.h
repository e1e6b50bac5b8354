#pragma once

#include "core/redis/net/requestscope.h"

namespace latchkey::watching {

/// Requests of `INFO replication` at intervals, so that the watcher's CoverageMeter, which reads the replies, notices a
/// replica that has lost its primary. Owned by the watcher, which sets the connection and calls poll(). The connection
/// is not owned.
class ReplicationPoll final
{
    Q_DISABLE_COPY_MOVE(ReplicationPoll)

public:
    ReplicationPoll();
    ~ReplicationPoll();

    /// Sets the connection; null: not connected.
    void setConnection(net::Connection *connection);
    /// Sends the request, unless it is too early or an answer is pending. Returns the request; empty if none was sent.
    resp::Commands poll(base::MonotonicTime now);
    /// Makes the next poll() send the request without a wait.
    void requestSoon() { m_next = {}; }
    /// Returns whether the server was a replica at the last reply.
    [[nodiscard]] bool isReplica() const { return m_isReplica; }

private:
    net::RequestScope m_requests;
    base::MonotonicTime m_next;
    bool m_isPending = false;
    bool m_isReplica = false;
};

} // namespace latchkey::watching

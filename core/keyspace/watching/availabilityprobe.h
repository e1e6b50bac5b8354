#pragma once

#include "core/keyspace/budget/commandbudget.h"
#include "core/redis/net/requestscope.h"
#include "core/redis/net/session.h"

#include <QObject>

namespace latchkey::watching {

/// A probe for a server that temporarily refuses all commands (BUSY, MASTERDOWN …). It sends one command after a
/// wait. The wait doubles from a quarter of a second to two seconds, to limit the load on the server. Owned by the
/// watcher, which receives the replies through its CoverageMeter. Session and budget are not owned.
class AvailabilityProbe final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AvailabilityProbe)

public:
    AvailabilityProbe(net::Session &session, budget::CommandBudget &budget, QObject *parent = nullptr);
    ~AvailabilityProbe() override;

    /// Resets the wait, after a recovery or for another connection.
    void reset();
    /// Sends the command if it is time and the last one is answered.
    void poll(const resp::Command &command, base::MonotonicTime now);

private:
    net::Session &m_session;         // Not owned.
    budget::CommandBudget &m_budget; // Not owned.
    std::chrono::milliseconds m_wait {};
    base::MonotonicTime m_next;
    net::RequestScope m_requests;
    bool m_isPending = false;
};

} // namespace latchkey::watching

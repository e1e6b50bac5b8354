#pragma once

#include "core/redis/net/dialer.h"
#include "core/redis/net/mastersearch.h"

#include <QDeadlineTimer>
#include <QObject>

#include <memory>

namespace latchkey::net {

/// Connects to the primary that the sentinels of an endpoint name, on the event loop.
///
/// One search per object: see MasterSearch. Each sentinel is asked over a connection of its own, which is closed
/// afterwards. Owned by the Dialer; its destruction cancels the search. It does not notice a later failover: see
/// SentinelWatch.
class MasterFinder final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MasterFinder)

public:
    /// `endpoint`: with sentinels. Clock: not owned.
    /// `knownPrimary`: the server to try before the sentinels are asked; absent: none.
    MasterFinder(const Endpoint &endpoint, const std::optional<HostPort> &knownPrimary, const base::Clock &clock,
                 const resp::ReplyLimits &limits, QObject *parent = nullptr);
    ~MasterFinder() override;

    /// Starts the search. `done` is called once, from the event loop. `timeout`: time for the whole search, without the
    /// login of ssh.
    void find(std::chrono::milliseconds timeout, Dialer::Callback done);

    /// Returns the dialer of the last connection attempt, which knows more about a failure; null before the first.
    [[nodiscard]] const Dialer *lastAttempt() const { return m_dialer.get(); }

private:
    [[nodiscard]] std::chrono::milliseconds share() const;
    void dial(const Endpoint &endpoint, Peer peer, Dialer::Callback done);
    void tryServer(const Endpoint &server);
    void askNext();
    void ask(std::unique_ptr<Connection> sentinel);
    void take(const base::Result<PrimaryAddress> &answer);
    void finish(base::Result<DialResult<Connection>> result);

    const base::Clock &m_clock; // Not owned.
    const resp::ReplyLimits m_limits;
    const std::optional<HostPort> m_knownPrimary;
    MasterSearch m_search;
    QDeadlineTimer m_deadline;
    std::optional<Endpoint> m_sentinel; ///< The sentinel that is being asked.
    std::unique_ptr<Dialer> m_dialer;
    std::unique_ptr<Connection> m_connection; ///< Connection to the sentinel.
    Dialer::Callback m_done;
};

} // namespace latchkey::net

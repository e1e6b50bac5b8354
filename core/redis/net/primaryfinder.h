#pragma once

#include "core/redis/net/dialer.h"
#include "core/redis/net/primarysearch.h"

#include <QDeadlineTimer>
#include <QObject>

#include <memory>

namespace latchkey::net {

/// A search, on the event loop, for the primary that the sentinels of an endpoint name. It ends with a connection to
/// the primary.
///
/// An object performs one search; PrimarySearch decides its steps. Each sentinel is asked over a separate connection,
/// which is closed afterwards. Owned by the Dialer; its destruction cancels the search. It does not notice a later
/// failover: see SentinelWatch.
class PrimaryFinder final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PrimaryFinder)

public:
    /// Creates a search. `endpoint`: with sentinels. `knownPrimary`: the server to try before the sentinels are asked,
    /// possibly none. The clock is not owned.
    PrimaryFinder(const Endpoint &endpoint, const std::optional<HostPort> &knownPrimary, const base::Clock &clock,
                  const resp::ReplyLimits &limits, QObject *parent = nullptr);
    ~PrimaryFinder() override;

    /// Starts the search. `done` is called once, from the event loop. `timeout`: time for the whole search, without the
    /// login of ssh.
    void find(std::chrono::milliseconds timeout, Dialer::Callback done);

    /// Returns the dialer of the last connection attempt, which has more details about a failure. Null before the first
    /// attempt.
    [[nodiscard]] const Dialer *lastAttempt() const { return m_dialer.get(); }

private:
    [[nodiscard]] std::chrono::milliseconds share() const;
    void dial(const Endpoint &endpoint, Peer peer, Dialer::Callback done);
    void tryServer(const Endpoint &server);
    void requestFromNext();
    void request(std::unique_ptr<Connection> sentinel);
    void take(const base::Result<PrimaryAddress> &answer);
    void finish(base::Result<DialResult<Connection>> result);

    const base::Clock &m_clock; // Not owned.
    const resp::ReplyLimits m_limits;
    const std::optional<HostPort> m_knownPrimary;
    PrimarySearch m_search;
    QDeadlineTimer m_deadline;
    std::optional<Endpoint> m_sentinel; ///< The sentinel that is being asked.
    std::unique_ptr<Dialer> m_dialer;
    std::unique_ptr<Connection> m_connection; ///< Connection to the sentinel.
    Dialer::Callback m_done;
};

} // namespace latchkey::net

#pragma once

#include "core/recipes/locks/leasewatchdog.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::cli {

/// The renewal of a lease while a program runs: a LeaseWatchdog with separate connections.
///
/// The connections are opened after half of the time until their first use, because most programs end before it.
/// Connections over ssh are opened at once, because they take long. A lost connection is retried after a thirtieth of
/// the lease, at least 5 ms and at most 1 s. Owned by the code that runs the program.
class LeaseRenewal final
{
    Q_DISABLE_COPY_MOVE(LeaseRenewal)

public:
    /// `servers`: servers that hold the lock. `acquiredBy`: the driver that has acquired it from these servers.
    /// `firstUse`: time until the watchdog first uses the connections.
    LeaseRenewal(const std::vector<net::Endpoint> &servers, const exchange::BlockingDriver &acquiredBy,
                 base::Lease lease, std::chrono::milliseconds firstUse);
    ~LeaseRenewal();

    [[nodiscard]] locks::LeaseWatchdog &watchdog() { return *m_watchdog; }
    [[nodiscard]] const locks::LeaseWatchdog &watchdog() const { return *m_watchdog; }
    /// Returns the servers that serve the key: all servers, or in a cluster the node of the key.
    [[nodiscard]] std::vector<net::Endpoint> endpointsOf(const base::Key &key) const;
    /// Returns a sentence about the last failover since the lock was acquired. Empty if there was none.
    [[nodiscard]] const QString &failover() const { return m_failover; }

private:
    void noteFailovers(net::Session &session, const std::optional<net::HostPort> &primary);

    QString m_failover;
    std::vector<std::unique_ptr<net::Session>> m_sessions;
    std::unique_ptr<exchange::LoopDriver> m_driver;
    std::unique_ptr<locks::LeaseWatchdog> m_watchdog;
    QTimer m_connect;
};

} // namespace latchkey::cli

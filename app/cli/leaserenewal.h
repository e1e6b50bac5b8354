#pragma once

#include "core/recipes/locks/leasewatchdog.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::cli {

/// The renewal of a lease during a program: separate connections, and a LeaseWatchdog that uses them.
///
/// The connections are made halfway to their first use, because most programs end earlier and need none. Connections
/// over ssh are made at once, because they take long. A lost connection is retried after a thirtieth of the lease, at
/// least 5 ms and at most 1 s. Owned by the code that runs the program.
class LeaseRenewal final
{
    Q_DISABLE_COPY_MOVE(LeaseRenewal)

public:
    /// `servers`: servers that hold the lock. `firstUse`: time until the watchdog first uses the connections.
    LeaseRenewal(const std::vector<net::Endpoint> &servers, base::Lease lease, std::chrono::milliseconds firstUse);
    ~LeaseRenewal();

    [[nodiscard]] locks::LeaseWatchdog &keeper() { return *m_watchdog; }
    [[nodiscard]] const locks::LeaseWatchdog &keeper() const { return *m_watchdog; }
    /// Returns the places that serve the key: the servers, or in a cluster the nodes.
    [[nodiscard]] std::vector<net::Endpoint> placesOf(const base::Key &key) const;
    /// Returns the last failover that the connections have followed, as a sentence; empty: none.
    [[nodiscard]] const QString &failover() const { return m_failover; }

private:
    void noteFailovers(net::Session &session);

    QString m_failover;
    std::vector<std::unique_ptr<net::Session>> m_sessions;
    std::unique_ptr<exchange::LoopDriver> m_driver;
    std::unique_ptr<locks::LeaseWatchdog> m_watchdog;
    QTimer m_connect;
};

} // namespace latchkey::cli

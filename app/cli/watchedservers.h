#pragma once

#include "app/cli/clusterlocks.h"
#include "app/cli/coverageprinter.h"
#include "app/cli/incidentprinter.h"
#include "app/cli/limits.h"
#include "app/cli/notificationdelays.h"
#include "app/cli/watchednode.h"
#include "core/inspect/inspection/serverregistry.h"
#include "core/redis/resp/clusterslots.h"

#include <memory>
#include <vector>

namespace latchkey::cli {

/// The servers that `watch` observes: one server, or all primaries of a cluster.
///
/// All primaries are observed in parallel. Once per second, one primary is asked for the current primaries, and each
/// primary for its migrating slots. A new primary joins; a replica that has taken over replaces its primary. A lost
/// primary without such a replica does not end the observation of the others; the coverage names it. Owned by the
/// command; the clock is not owned.
class WatchedServers final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedServers)

public:
    struct Options
    {
        base::Globs globs;
        Limits limits;
        bool json = false;
        EventOrigin origin {};  ///< The server, if it is one of several independent ones; without a node.
        bool isCluster = false; ///< Whether the servers are primaries of a cluster.
        int unserved = 0;       ///< Number of its slots that no node served at first.
    };

    /// `primaries`: the server, or the primaries of a cluster, that of the URL first. `printed`: called after each line
    /// about the coverage.
    WatchedServers(const std::vector<WatchedNode::Primary> &primaries, Options options, const base::Clock &clock,
                   std::function<void()> printed);
    ~WatchedServers() override;

    void start();
    /// Returns the server, or the first primary.
    [[nodiscard]] inspection::InspectedServer &first() { return *m_watched.front().server; }
    /// A watched server with its locks.
    struct Node
    {
        QString name; ///< Host and port; empty without a cluster.
        inspection::InspectedServer &server;
        const WatchedLocks &locks;
    };
    /// Returns the server, or the present primaries. Valid until the event loop runs again.
    [[nodiscard]] std::vector<Node> nodes() const;
    /// Returns the events of the locks of all servers.
    [[nodiscard]] const LockEvents &locks() const;
    /// Returns the longest NotificationDelays::delayOf() of the servers. Absent if it is unknown for one of them.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> eventDelay(const events::KeyEvent &keyEvent) const;
    [[nodiscard]] events::Coverage coverage() const;
    /// Returns the number of matching keys if all were read and no lock was found since the start. 0 otherwise.
    [[nodiscard]] qsizetype matchesWithoutLock() const;
    /// Prints a gap of the observation that was not printed yet: a server that was never reached reports none.
    void printGap();
    /// Prints the known facts that were not printed yet.
    void printLast();

Q_SIGNALS:
    /// Emitted for a primary that is watched from now on. `node`: its host and port.
    void primaryAdded(latchkey::inspection::InspectedServer &server, const QString &node);
    /// Emitted before a replaced primary is destroyed.
    void primaryRemoved(const QString &node);
    /// Emitted when the observations of a server up to now are known.
    void committed();

private:
    struct Watched
    {
        std::shared_ptr<inspection::InspectedServer> server;
        std::unique_ptr<WatchedLocks> locks;
        std::unique_ptr<NotificationDelays> notificationDelays;
        std::unique_ptr<CoveragePrinter> coveragePrinter;
        std::unique_ptr<IncidentPrinter> incidentPrinter;
        ClusterLocks::Primary member = 0;
        std::vector<std::pair<int, int>> ranges; ///< Last known slots.
    };

    [[nodiscard]] events::Coverage::Parts partsOf(const Watched &watched) const;
    void add(const net::Endpoint &endpoint, const std::vector<std::pair<int, int>> &ranges);
    void recheck();
    void requestPrimaries();
    void requestMigratingSlots();
    void take(const resp::ClusterSlots &present, const net::Endpoint &asked);
    [[nodiscard]] Watched *find(const net::Endpoint &endpoint);
    [[nodiscard]] std::optional<std::size_t> replacedBy(const resp::ClusterSlots::Primary &primary,
                                                        const resp::ClusterSlots &present,
                                                        const net::Endpoint &asked) const;
    void replace(std::size_t index, const Watched &successor);

    const Options m_options;
    const base::Clock &m_clock; // Not owned.
    const std::function<void()> m_printed;
    inspection::ServerRegistry m_registry;
    std::unique_ptr<ClusterLocks> m_clusterLocks; ///< Null without a cluster.
    std::vector<Watched> m_watched;               ///< Destroyed before the locks of the cluster.
    std::vector<events::Coverage::Parts> m_left;  ///< Coverage of replaced primaries.
    QTimer m_retryTimer;
    int m_unserved = 0;
};

} // namespace latchkey::cli

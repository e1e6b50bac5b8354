#pragma once

#include "app/cli/slotwatch.h"
#include "core/redis/resp/clusterslots.h"

namespace latchkey::cli {

/// The scan of a server, or of all primaries of its cluster in parallel.
///
/// Any node names the primaries. If slots migrated during the scan, a key may have been missed on both nodes. The
/// scan is then repeated a few times; the coverage shows if slots migrated each time. A lost node does not end the
/// scan of the others. Owned by KeyListing, which keeps the keys and merges a key that two nodes report.
class ClusterScan final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterScan)

public:
    ClusterScan(NodeScan::Shared shared, watching::Scanner::Options options);
    ~ClusterScan() override;

    /// Connects and scans. Emits begun(), then over() or failed().
    void start(const net::Endpoint &endpoint);
    void stop();
    /// Returns the session to the server of the URL, from start() on.
    [[nodiscard]] net::Session &session() { return m_entry->session(); }

    // Same as the functions of watching::Scanner, for the scans of all nodes.
    void pause();
    void resume();
    [[nodiscard]] bool canStep() const;
    void step(int commands);

    /// Returns whether the scan may still deliver keys.
    [[nodiscard]] bool isRunning() const { return !m_isOver; }
    /// Reads the values of these keys at their nodes, and emits valuesRead().
    void readValues(const std::vector<QByteArray> &keys);

    /// After the scan, verifies the keys that it has found, and emits verified(). See NodeScan::verify().
    void verify();

    [[nodiscard]] quint64 keysScanned() const;
    [[nodiscard]] quint64 keysTraversed() const;
    /// Returns the number of keys of all nodes. Absent if unknown.
    [[nodiscard]] std::optional<qint64> databaseSize() const;
    [[nodiscard]] budget::CommandCost spent() const;
    /// Returns the coverage. `keys`: number of known keys, if the scan is incomplete.
    [[nodiscard]] events::Coverage coverage(qint64 keys) const;

Q_SIGNALS:
    /// Emitted when a scan begins.
    void begun();
    void pageScanned();
    /// Emitted at the end. Every key that existed during the whole scan was delivered, or the coverage names the
    /// reason.
    void over();
    void valuesRead();
    void verified();
    /// Emitted when no node is reachable any longer.
    void failed(const latchkey::base::Error &error);

private:
    NodeScan &addNode(const net::Endpoint &endpoint);
    void nodeReady(NodeScan &node);
    void nodeFailed(const base::Error &error);
    void findNodes();
    void takeNodes(const resp::Reply &slotMap, const resp::Reply &ownId);
    void beginRound();
    void scanNodes();
    void proceed();
    void endRound();
    [[nodiscard]] std::vector<NodeScan *> living() const;
    [[nodiscard]] NodeScan *nodeOf(const QByteArray &key) const;
    [[nodiscard]] events::Coverage::ClusterParts clusterParts() const;

    /// The phases: Finding → Scanning → (Looking, in a cluster) → Scanning … → Over.
    enum class Phase : quint8 { Finding, Scanning, CheckingSlots, Over };

    const NodeScan::Shared m_shared;
    const watching::Scanner::Options m_options;
    std::vector<std::unique_ptr<NodeScan>> m_nodes; ///< The nodes with keys; without a cluster, the server.
    std::unique_ptr<NodeScan> m_entryScan;          ///< The server of the URL, if this node has no keys.
    NodeScan *m_entry = nullptr;                    ///< Scan of the server of the URL: an element of m_nodes, or
                                                    ///< m_entryScan.
    std::optional<resp::ClusterSlots> m_slots;      ///< Absent without a cluster.
    std::vector<std::size_t> m_nodeOfSlot;          ///< Index of the node of each slot; empty without a cluster.
    std::optional<base::Error> m_whyNotFound;       ///< Why the other nodes of the cluster are unknown.
    SlotWatch m_slotWatch;
    Phase m_phase = Phase::Finding;
    int m_rounds = 0;
    bool m_isOver = false;
    bool m_isPaused = false;
    bool m_isReading = false;
    bool m_isVerifying = false;
    budget::CommandCost m_spentBefore; ///< Cost of the scans of earlier passes.
};

} // namespace latchkey::cli

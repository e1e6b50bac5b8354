#pragma once

#include "app/cli/slotwatch.h"
#include "core/redis/resp/clusterslots.h"

namespace latchkey::cli {

/// The scan of a server, or of all primaries of the cluster to which it belongs, side by side.
///
/// Any node names the primaries. If slots moved during the scan, a key may have escaped it on both nodes, so the scan
/// is repeated a few times; the coverage says if slots moved every time. A node that is lost does not end the scan of
/// the others. Owned by KeyGathering, which keeps the keys; a key that two nodes report is one key there.
class ClusterScan final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterScan)

public:
    ClusterScan(NodeScan::Shared shared, watching::Scanner::Options options);
    ~ClusterScan() override;

    /// Connects, and scans. Emits begun(), then over() or failed().
    void start(const net::Endpoint &endpoint);
    void stop();
    /// Returns the session to the server of the URL, from start() on.
    [[nodiscard]] net::Session &session() { return m_entry->session(); }

    // As those of watching::Scanner, for the scans of all nodes.
    void hold();
    void goOn();
    [[nodiscard]] bool canStep() const;
    void step(int commands);

    /// Returns whether more keys may be met.
    [[nodiscard]] bool isRunning() const { return !m_isOver; }
    /// Reads the values of these keys at their nodes, and emits valuesRead().
    void readValues(const std::vector<QByteArray> &keys);

    [[nodiscard]] quint64 keysMet() const;
    [[nodiscard]] quint64 keysWalked() const;
    /// Returns the number of keys of all nodes; absent: unknown.
    [[nodiscard]] std::optional<qint64> databaseSize() const;
    [[nodiscard]] budget::Expense spent() const;
    /// Returns the coverage. keys: number of known keys, if not all were met.
    [[nodiscard]] events::Coverage coverage(qint64 keys) const;

Q_SIGNALS:
    /// A scan begins.
    void begun();
    void pageMet();
    /// Every key that existed all the time has been met, or the coverage says why not.
    void over();
    void valuesRead();
    /// No node can be reached any more.
    void failed(const latchkey::base::Error &error);

private:
    NodeScan &addNode(const net::Endpoint &endpoint);
    void nodeReady(NodeScan &node);
    void nodeFailed(const base::Error &error);
    void findNodes();
    void takeNodes(const resp::Reply &slotMap, const resp::Reply &ownId);
    void beginPass();
    void scanNodes();
    void proceed();
    void endPass();
    [[nodiscard]] std::vector<NodeScan *> living() const;
    [[nodiscard]] NodeScan *nodeOf(const QByteArray &key) const;
    [[nodiscard]] events::Coverage::ClusterParts clusterParts() const;

    /// Finding → Scanning → (Looking, in a cluster) → Scanning … → Over.
    enum class Phase : quint8 { Finding, Scanning, Looking, Over };

    const NodeScan::Shared m_shared;
    const watching::Scanner::Options m_options;
    std::vector<std::unique_ptr<NodeScan>> m_nodes; ///< The nodes with keys; without a cluster, the server.
    std::unique_ptr<NodeScan> m_guide;              ///< The server of the URL, if it is a node without keys of its own.
    NodeScan *m_entry = nullptr;                    ///< The server of the URL: one of these.
    std::optional<resp::ClusterSlots> m_slots;      ///< Absent without a cluster.
    std::vector<std::size_t> m_nodeOfSlot;          ///< Index of the node of each slot; empty without a cluster.
    std::optional<base::Error> m_whyNotFound;       ///< Why the other nodes of the cluster are not known.
    SlotWatch m_slotWatch;
    Phase m_phase = Phase::Finding;
    int m_passes = 0;
    bool m_isOver = false;
    bool m_isHeld = false;
    bool m_isReading = false;
    budget::Expense m_spentBefore; ///< By the scans of earlier passes.
};

} // namespace latchkey::cli

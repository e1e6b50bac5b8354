#include "app/cli/clusterscan.h"

#include "core/redis/net/slotroutes.h"
#include "core/redis/resp/keyslot.h"

#include <algorithm>
#include <map>

namespace latchkey::cli {

using events::Coverage;
using watching::Scanner;
using watching::ValueReader;

namespace {

/// Largest number of passes over a cluster while its slots migrate.
constexpr int maxRounds = 3;

} // namespace

ClusterScan::ClusterScan(NodeScan::Shared shared, Scanner::Options options)
    : m_shared(std::move(shared))
    , m_options(std::move(options))
{}

ClusterScan::~ClusterScan() = default;

void ClusterScan::start(const net::Endpoint &endpoint)
{
    m_entry = &addNode(endpoint);
    m_entry->start();
}

NodeScan &ClusterScan::addNode(const net::Endpoint &endpoint)
{
    m_nodes.push_back(std::make_unique<NodeScan>(endpoint, m_shared));
    NodeScan &node = *m_nodes.back();
    connect(&node, &NodeScan::ready, this, [this, &node] { nodeReady(node); });
    connect(&node, &NodeScan::scanned, this, &ClusterScan::proceed);
    connect(&node, &NodeScan::read, this, &ClusterScan::proceed);
    connect(&node, &NodeScan::verified, this, &ClusterScan::proceed);
    connect(&node, &NodeScan::failed, this, &ClusterScan::nodeFailed);
    connect(&node.scanner(), &Scanner::pageScanned, this, &ClusterScan::pageScanned);
    return node;
}

void ClusterScan::nodeReady(NodeScan &node)
{
    const QString &mode = node.session().server().mode;
    if (&node == m_entry && !m_slots && (mode == u"cluster" || mode.isEmpty()))
        findNodes();
    else
        proceed();
}

/// Asks the server of the URL for the nodes. A server that does not report its mode may not belong to a cluster.
void ClusterScan::findNodes()
{
    m_entry->session().connection()->send({{"CLUSTER", "SLOTS"}, {"CLUSTER", "MYID"}}, m_shared.timeout, this,
                                          [this](const base::Result<net::Connection::Delivery> &delivery) {
                                              if (delivery) // Otherwise the session reports the lost connection.
                                                  takeNodes(delivery->replies[0], delivery->replies[1]);
                                          });
}

void ClusterScan::takeNodes(const resp::Reply &slotMap, const resp::Reply &ownId)
{
    auto found = resp::ClusterSlots::fromReply(slotMap);
    if (!found) {
        if (m_entry->session().server().mode == u"cluster")
            m_whyNotFound = found.error();
        return proceed();
    }
    m_slots = std::move(*found);
    if (m_slots->primaries().empty())
        return proceed();
    m_nodeOfSlot.assign(resp::slotCount, 0);
    std::unique_ptr<NodeScan> entry = std::move(m_nodes.front());
    m_nodes.clear();
    for (const resp::ClusterSlots::Primary &primary : m_slots->primaries()) {
        if (entry && ownId.isBulk(primary.id))
            m_nodes.push_back(std::move(entry));
        else
            addNode(net::SlotRoutes::endpointOf(m_entry->session().endpoint(), primary.address));
        for (const auto &[first, last] : primary.ranges)
            std::fill(m_nodeOfSlot.begin() + first, m_nodeOfSlot.begin() + last + 1, m_nodes.size() - 1);
    }
    m_entryScan = std::move(entry); // The server of the URL is a replica, or a primary without slots.
    for (const auto &node : m_nodes) {
        if (node.get() != m_entry)
            node->start();
    }
    proceed();
}

std::vector<NodeScan *> ClusterScan::living() const
{
    std::vector<NodeScan *> nodes;
    for (const auto &node : m_nodes) {
        if (!node->error())
            nodes.push_back(node.get());
    }
    return nodes;
}

void ClusterScan::nodeFailed(const base::Error &error)
{
    if (m_slots && !living().empty()) {
        proceed(); // The scan continues without the lost node, which the coverage names.
        return;
    }
    stop();
    Q_EMIT failed(error);
}

/// Performs the next step after a node is ready, was scanned or read, or is lost.
void ClusterScan::proceed()
{
    const std::vector<NodeScan *> nodes = living();
    switch (m_phase) {
    case Phase::Finding:
        if (std::ranges::all_of(nodes, [](NodeScan *node) { return node->session().connection() != nullptr; }))
            beginRound();
        break;
    case Phase::Scanning:
        if (std::ranges::any_of(nodes, [](NodeScan *node) { return node->scanner().isRunning(); }))
            break;
        m_phase = Phase::CheckingSlots;
        if (m_slots)
            m_slotWatch.readSlots(nodes, [this] { endRound(); });
        else
            endRound();
        break;
    case Phase::CheckingSlots:
    case Phase::Over:
        break;
    }
    if (m_isReading && std::ranges::none_of(nodes, [](NodeScan *node) { return node->reader().isReading(); })) {
        m_isReading = false;
        QMetaObject::invokeMethod(this, &ClusterScan::valuesRead, Qt::QueuedConnection);
    }
    if (m_isVerifying && std::ranges::none_of(nodes, [](NodeScan *node) { return node->isVerifying(); })) {
        m_isVerifying = false;
        QMetaObject::invokeMethod(this, &ClusterScan::verified, Qt::QueuedConnection);
    }
}

void ClusterScan::beginRound()
{
    m_phase = Phase::CheckingSlots;
    if (m_slots)
        m_slotWatch.readSlots(living(), [this] { scanNodes(); });
    else
        scanNodes();
}

void ClusterScan::scanNodes()
{
    ++m_rounds;
    Q_EMIT begun();
    for (NodeScan *node : living()) {
        m_spentBefore += node->scanner().spent();
        node->begin(m_options);
        if (m_isPaused)
            node->scanner().pause();
    }
    m_phase = Phase::Scanning; // Set after the loop: a node that is lost at once must not end the scan of the next
                               // ones.
    proceed();
}

/// Ends the scan, or repeats it if slots migrated. A complete scan without a migration delivers every key once.
void ClusterScan::endRound()
{
    if (m_slots && m_slotWatch.haveMoved() && m_rounds < maxRounds && !living().empty())
        return scanNodes(); // The last slot report also serves as the report before the next pass.
    m_phase = Phase::Over;
    m_isOver = true;
    Q_EMIT over();
}

void ClusterScan::stop()
{
    m_phase = Phase::Over;
    m_isOver = true;
    for (const auto &node : m_nodes)
        node->stop();
    if (m_entryScan)
        m_entryScan->stop();
}

void ClusterScan::pause()
{
    m_isPaused = true;
    for (NodeScan *node : living())
        node->scanner().pause();
}

void ClusterScan::resume()
{
    m_isPaused = false;
    for (NodeScan *node : living())
        node->scanner().resume();
}

bool ClusterScan::canStep() const
{
    return std::ranges::any_of(living(), [](NodeScan *node) { return node->scanner().canStep(); });
}

/// Distributes the commands among the nodes that can use them.
void ClusterScan::step(int commands)
{
    std::vector<NodeScan *> able = living();
    std::erase_if(able, [](NodeScan *node) { return !node->scanner().canStep(); });
    for (NodeScan *node : able)
        node->scanner().step(std::max(1, commands / static_cast<int>(able.size())));
}

NodeScan *ClusterScan::nodeOf(const QByteArray &key) const
{
    const std::size_t index = m_nodeOfSlot.empty() ? 0 : m_nodeOfSlot[static_cast<std::size_t>(resp::slotOf(key))];
    NodeScan *const node = m_nodes[index].get();
    return node->error() ? nullptr : node;
}

void ClusterScan::readValues(const std::vector<QByteArray> &keys)
{
    std::map<NodeScan *, std::vector<QByteArray>> parts;
    for (const QByteArray &key : keys) {
        if (NodeScan *node = nodeOf(key))
            parts[node].push_back(key);
    }
    m_isReading = true;
    for (const auto &[node, names] : parts)
        node->reader().read(*node->session().connection(), names, ValueReader::Part::Values);
    proceed();
}

void ClusterScan::verify()
{
    m_isVerifying = true;
    for (NodeScan *node : living())
        node->verify();
    proceed();
}

quint64 ClusterScan::keysScanned() const
{
    quint64 sum = 0;
    for (const auto &node : m_nodes)
        sum += node->scanner().keysScanned();
    return sum;
}

quint64 ClusterScan::keysTraversed() const
{
    quint64 sum = 0;
    for (const auto &node : m_nodes)
        sum += node->scanner().keysTraversed();
    return sum;
}

std::optional<qint64> ClusterScan::databaseSize() const
{
    std::optional<qint64> sum = 0;
    for (const auto &node : m_nodes)
        sum = sum && node->databaseSize() ? std::optional(*sum + *node->databaseSize()) : std::nullopt;
    return sum;
}

budget::CommandCost ClusterScan::spent() const
{
    budget::CommandCost sum = m_spentBefore;
    for (const auto &node : m_nodes)
        sum += node->spent();
    return sum;
}

Coverage ClusterScan::coverage(qint64 keys) const
{
    std::vector<Coverage::Parts> parts;
    for (const auto &node : m_nodes) {
        const auto scanned = static_cast<qint64>(node->scanner().keysAnswered());
        const bool isAll = node->isWhole();
        const bool isWholeCount = isAll && !node->deletion() && node->flushes() == 0 && node->renames() == 0;
        const qint64 known = m_nodes.size() == 1 ? keys : scanned;
        parts.push_back(
            node->meter()
                .coverage({isAll, isWholeCount ? node->databaseSize().value_or(scanned) : known, node->databaseSize()})
                .parts());
        parts.back().deletion = node->deletion();
        parts.back().flushes = node->flushes();
        parts.back().renames = node->renames();
    }
    Coverage::Parts sum = events::sumOf(parts);
    if (m_slots || m_whyNotFound)
        sum.cluster = clusterParts();
    return Coverage(std::move(sum));
}

Coverage::ClusterParts ClusterScan::clusterParts() const
{
    Coverage::ClusterParts cluster;
    for (const auto &node : m_nodes)
        cluster.nodes.push_back(
            {node->session().endpoint().display(), static_cast<qint64>(node->scanner().keysScanned()), node->error()});
    cluster.haveSlotsMoved = m_slots && m_slotWatch.haveMoved();
    cluster.unservedSlots = m_slots ? m_slots->unserved() : 0;
    cluster.whyNotFound = m_whyNotFound;
    return cluster;
}

} // namespace latchkey::cli

#pragma once

#include "core/redis/net/session.h"
#include "core/redis/net/slotroutes.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace latchkey::exchange {

/// The sessions of one server of a LoopDriver: its own, and one for each node of a cluster that serves a key.
///
/// A session to a node is created when a command needs it, and ends when the node is lost. The next command then asks
/// another node for the route. The nodes are read at the first connection to a cluster, so that commands find their
/// node while the server of the URL is down. Owned by the LoopDriver; the server's own session, clock and random source
/// are not owned.
class NodeSessions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NodeSessions)

public:
    NodeSessions(net::Session &entry, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~NodeSessions() override;

    [[nodiscard]] net::SlotRoutes &routes() { return m_routes; }

    /// Callback with a connected session, or the error (Unreachable: the command was not sent).
    using Reached = std::function<void(base::Result<net::Session *>)>;
    /// Connects to an endpoint within the timeout. While the server's own session is down, another node of its cluster
    /// replaces it. `reached` is called once, from the event loop or at once.
    void reach(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, const Reached &reached);

private:
    struct Node
    {
        std::unique_ptr<net::Session> session;
        std::vector<Reached> waiting;
    };

    void requestNodes();
    void reachNode(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, const Reached &reached);
    void reachAny(std::size_t next, std::chrono::milliseconds timeout, const Reached &reached);
    void nodeChanged(const QString &name, net::Session::State state);

    net::Session &m_entry;        // Not owned.
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    net::SlotRoutes m_routes;
    std::map<QString, Node> m_nodes;    ///< By address.
    std::vector<net::Endpoint> m_known; ///< All nodes of the cluster, including replicas.
};

} // namespace latchkey::exchange

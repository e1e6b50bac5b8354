#include "core/redis/exchange/nodesessions.h"

#include "core/redis/net/connection.h"

#include <algorithm>

namespace latchkey::exchange {

using base::ErrorKind;
using base::failure;
using net::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto nodesTimeout = 5s;

} // namespace

NodeSessions::NodeSessions(Session &entry, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_entry(entry)
    , m_clock(clock)
    , m_random(random)
    , m_routes(entry.endpoint())
{
    connect(&m_entry, &Session::stateChanged, this, &NodeSessions::requestNodes);
    requestNodes();
}

NodeSessions::~NodeSessions() = default;

/// Requests the nodes of a cluster. Without the right to do so, the routes of keys are learned from redirects.
void NodeSessions::requestNodes()
{
    if (m_entry.connection() == nullptr)
        return;
    m_routes.setCluster(m_entry.server().mode == u"cluster");
    if (m_entry.server().mode != u"cluster")
        return;
    m_entry.connection()->send(
        {{"CLUSTER", "SLOTS"}}, nodesTimeout, this, [this](const base::Result<net::Connection::Delivery> &delivery) {
            const auto slots = delivery ? resp::ClusterSlots::fromReply(delivery->replies.front())
                                        : base::Result<resp::ClusterSlots>(failure(delivery.error()));
            if (!slots)
                return;
            m_routes.learn(*slots);
            m_known.clear();
            for (const resp::NodeAddress &address : slots->nodes())
                m_known.push_back(net::SlotRoutes::endpointOf(m_entry.endpoint(), address));
        });
}

void NodeSessions::reach(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, const Reached &reached)
{
    if (!(endpoint == m_entry.endpoint()))
        return reachNode(endpoint, timeout, reached);
    if (m_entry.connection() != nullptr)
        return reached(&m_entry);
    reachAny(0, timeout, reached);
}

/// Tries the known nodes one after the other, starting at `next`.
void NodeSessions::reachAny(std::size_t next, std::chrono::milliseconds timeout, const Reached &reached)
{
    if (next < m_known.size()) {
        const auto share = timeout / static_cast<int>(m_known.size());
        return reachNode(m_known[next], share, [this, next, timeout, reached](const base::Result<Session *> &session) {
            if (session)
                reached(*session);
            else
                reachAny(next + 1, timeout, reached);
        });
    }
    // The last connection may have been lost with an unknown outcome, but this command was never sent.
    const base::Text why = m_entry.lastError() ? m_entry.lastError()->text
                                               : base::Text(QT_TRANSLATE_NOOP("core", "not connected to %1"),
                                                            m_entry.endpoint().display());
    reached(failure(ErrorKind::Unreachable, why));
}

void NodeSessions::reachNode(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, const Reached &reached)
{
    const QString name = endpoint.display();
    Node &node = m_nodes[name];
    if (node.session && node.session->connection() != nullptr)
        return reached(node.session.get());
    node.waiting.push_back(reached);
    if (node.session)
        return; // The connection attempt is still running.
    node.session = std::make_unique<Session>(endpoint, m_clock, m_random);
    Session::Timing timing;
    timing.dialTimeout = std::max<std::chrono::milliseconds>(timeout, 1ms);
    node.session->setTiming(timing);
    connect(node.session.get(), &Session::stateChanged, this,
            [this, name](Session::State state) { nodeChanged(name, state); });
    node.session->start();
}

void NodeSessions::nodeChanged(const QString &name, Session::State state)
{
    const auto found = m_nodes.find(name);
    if (found == m_nodes.end() || state == Session::State::Connecting)
        return;
    const std::vector<Reached> waiting = std::exchange(found->second.waiting, {});
    if (state == Session::State::Ready) {
        for (const Reached &reached : waiting) {
            const auto node = m_nodes.find(name);
            const bool exists = node != m_nodes.end() && node->second.session->connection() != nullptr;
            reached(exists ? base::Result<Session *>(node->second.session.get())
                           : failure(ErrorKind::Unreachable, QT_TRANSLATE_NOOP("core", "the connection is closed")));
        }
        return;
    }
    Session *const lost = found->second.session.release();
    lost->disconnect(this);
    lost->deleteLater(); // Deferred, because the session is the caller.
    m_nodes.erase(found);
    m_routes.forget(lost->endpoint());
    if (waiting.empty())
        return;
    const base::Error why = net::unreachableNode(
        lost->endpoint(),
        lost->lastError().value_or(base::Error {ErrorKind::Unreachable, base::Text(lost->endpoint().display())}));
    for (const Reached &reached : waiting)
        reached(failure(ErrorKind::Unreachable, why.text));
}

} // namespace latchkey::exchange

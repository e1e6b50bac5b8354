#pragma once

#include "core/inspection/clusterplace.h"
#include "core/inspection/watchrules.h"
#include "core/keyspace/eventsource.h"
#include "core/keyspace/watcher.h"

#include <QObject>

namespace latchkey::inspection {

/// One of the Redis processes that make up a server, as it is watched: the session to it, its watcher, and the way in
/// which it tells of changes. A server that is no cluster is a single node.
///
/// What it learns goes to the fan-out of the server that it belongs to; what is known of all nodes' keys is kept there
/// too. It never writes. Owned by the InspectedServer; fan-out, what is known, clock and random source are not owned.
class Node final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Node)

public:
    Node(const resp::Endpoint &endpoint, const keys::KnownKeys &known, keyspace::FanOut &fanOut,
         const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Node() override;

    [[nodiscard]] resp::Session &session() { return m_session; }
    [[nodiscard]] const resp::Session &session() const { return m_session; }
    [[nodiscard]] keyspace::Watcher &watcher() { return m_watcher; }
    /// How it is told of changes.
    [[nodiscard]] keyspace::EventSource &events() { return m_events; }
    [[nodiscard]] const keyspace::EventSource &events() const { return m_events; }
    /// Whether it is one of several.
    [[nodiscard]] const ClusterPlace &cluster() const { return m_cluster; }
    /// What is read to watch it does not count as use where it evicts by that (CLIENT NO-TOUCH): the server has said so
    /// of the connection that there is now.
    [[nodiscard]] bool isUntouching() const { return m_isUntouching; }
    /// What may be sent to it: nothing else leaves its session, whether the server is armed or not.
    [[nodiscard]] const WatchRules &rules() const { return m_rules; }
    /// Commands sent to watch it.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    /// It is told of changes in another way than before.
    void eventsChanged();

private:
    void askNotToTouch();
    void askForFlags();
    void meansChanged();

    WatchRules m_rules;
    resp::Session m_session;
    ClusterPlace m_cluster;
    keyspace::Watcher m_watcher;
    keyspace::EventSource m_events;
    bool m_isUntouching = false;
};

} // namespace latchkey::inspection

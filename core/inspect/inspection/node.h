#pragma once

#include "core/inspect/inspection/clustermembership.h"
#include "core/keyspace/watching/eventsource.h"
#include "core/keyspace/watching/watcher.h"
#include "core/redis/net/session.h"

#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// The source of all observations of one process of a server. A ServerNode watches the process; a recording's node
/// replays recorded observations. A server that is not a cluster has a single node.
///
/// Observations go to the dispatcher of the server that the node belongs to; the server also keeps the known keys of
/// all nodes. Owned by the InspectedServer.
class Node : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Node)

public:
    explicit Node(QObject *parent = nullptr);
    ~Node() override;

    /// Starts watching, if it has not already started.
    virtual void start() = 0;
    /// Returns whether the node only replays a recording: no requests and no changes are possible.
    [[nodiscard]] virtual bool isRecording() const = 0;
    /// Returns the session. The session of a recording stays Stopped.
    [[nodiscard]] virtual net::Session &session() = 0;
    [[nodiscard]] virtual watching::Watcher &watcher() = 0;
    /// Returns the source of the server's change events.
    [[nodiscard]] virtual watching::EventSource &events() = 0;
    [[nodiscard]] virtual const watching::EventSource &events() const = 0;
    /// Returns the part of the cluster that the server serves.
    [[nodiscard]] virtual const ClusterMembership &cluster() const = 0;
    /// Returns whether the server has confirmed CLIENT NO-TOUCH for the current connection: reads do not count as use
    /// for eviction.
    [[nodiscard]] virtual bool isNoTouchActive() const = 0;
    /// Returns the number of commands sent for watching.
    [[nodiscard]] virtual quint64 commandsSent() const = 0;

Q_SIGNALS:
    /// Emitted when the mechanism of change events has changed; see EventSource::mechanism().
    void eventsChanged();
};

/// A function that creates the node of a server with these known keys; the node sends its observations to this
/// dispatcher.
using MakeNode =
    std::function<std::unique_ptr<Node>(const keys::KnownKeys &known, events::ObservationDispatcher &dispatcher)>;

} // namespace latchkey::inspection

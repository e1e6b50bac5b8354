#pragma once

#include "core/inspection/clusterplace.h"
#include "core/keyspace/eventsource.h"
#include "core/keyspace/watcher.h"
#include "core/resp/session.h"

#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// Where what is observed of one of a server's processes comes from: a ServerNode watches it, a recording's node shows
/// what another one saw. A server that is no cluster is a single node.
///
/// What is observed goes to the fan-out of the server that it belongs to; what is known of all nodes' keys is kept
/// there too.
/// Owned by the InspectedServer.
class Node : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Node)

public:
    explicit Node(QObject *parent = nullptr);
    ~Node() override;

    /// Begins, where it has not begun by itself.
    virtual void start() = 0;
    /// Nothing can be asked or changed: it shows what has been.
    [[nodiscard]] virtual bool isRecording() const = 0;
    /// Of a recording: stays Stopped.
    [[nodiscard]] virtual resp::Session &session() = 0;
    [[nodiscard]] virtual keyspace::Watcher &watcher() = 0;
    /// How it is told of changes.
    [[nodiscard]] virtual keyspace::EventSource &events() = 0;
    [[nodiscard]] virtual const keyspace::EventSource &events() const = 0;
    /// Whether it is one of several.
    [[nodiscard]] virtual const ClusterPlace &cluster() const = 0;
    /// What is read to watch it does not count as use where it evicts by that (CLIENT NO-TOUCH): the server has said so
    /// of the connection that there is now.
    [[nodiscard]] virtual bool isUntouching() const = 0;
    /// Commands sent to watch it.
    [[nodiscard]] virtual quint64 commandsSent() const = 0;

Q_SIGNALS:
    /// It is told of changes in another way than before.
    void eventsChanged();
};

/// Makes the node of a server that knows these keys and hears of them from this fan-out.
using MakeNode = std::function<std::unique_ptr<Node>(const keys::KnownKeys &known, keyspace::FanOut &fanOut)>;

} // namespace latchkey::inspection

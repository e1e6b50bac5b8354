#pragma once

#include "tests/support/testserver.h"

#include <memory>
#include <vector>

namespace latchkey::test {

/// Returns the arguments that make a private server without a TCP port a cluster node. Its cluster bus gets a free
/// port. By default, the buses of all such nodes have port 10,000, so that only one node could run at a time.
[[nodiscard]] QStringList clusterNode();

/// A cluster of three primaries on the loopback, with or without a replica of each: real processes, which end with this
/// object.
///
/// The constructor returns when every node knows all nodes and their slots. Nodes count from 0: the primaries in the
/// order of their slots, a third each, then their replicas. Aborts the test program if the cluster does not start.
class ClusterSetup final
{
public:
    static constexpr int primaryCount = 3;
    enum class Replicas : quint8 { None, OneEach };
    enum class Announced : quint8 {
        OwnPorts,
        Inner, ///< See innerAddress(): as in containers, only the other nodes reach it.
    };

    /// `extraArguments`: further settings of every node.
    explicit ClusterSetup(Replicas replicas = Replicas::None, const QStringList &extraArguments = {},
                          Announced announced = Announced::OwnPorts);
    ~ClusterSetup();
    Q_DISABLE_COPY_MOVE(ClusterSetup)

    [[nodiscard]] quint16 port(int node) const { return m_ports.at(static_cast<std::size_t>(node)); }
    [[nodiscard]] QString address(int node) const { return QStringLiteral("127.0.0.1:%1").arg(port(node)); }
    /// Returns the address that a node announces with Announced::Inner: a host of the loopback, and a port at which
    /// no program listens.
    [[nodiscard]] static QString innerAddress(int node) { return QStringLiteral("127.0.0.2:%1").arg(node + 1); }
    [[nodiscard]] net::Endpoint endpoint(int node) const;
    [[nodiscard]] QString url(int node) const { return endpoint(node).display(); }
    [[nodiscard]] QByteArray id(int node) const { return m_ids.at(static_cast<std::size_t>(node)); }

    /// Sends one command to a node, over a connection that the code under test does not use.
    resp::Reply ask(int node, const resp::Command &command);
    /// Sends a command about a key to the primary that initially served its slot.
    resp::Reply askOwner(const QByteArray &key, const resp::Command &command);
    /// Sends a command about a migrated key to the primary that still imports its slot.
    resp::Reply askImporting(int node, const resp::Command &command);
    /// Returns the primary that initially served the slot of this key.
    [[nodiscard]] static int ownerOf(const QByteArray &key);
    /// Returns a key of this primary: `prefix` with a number.
    [[nodiscard]] static QByteArray keyOf(int primary, const QByteArray &prefix = "lock:");

    /// Begins to migrate the slot of this key to another primary: new keys are created there, existing ones stay.
    void beginMove(const QByteArray &key, int from, int to);
    /// Migrates a key to the node that imports its slot.
    void migrate(const QByteArray &key, int from, int to);
    /// Ends a migration: the other primary serves the slot.
    void endMove(const QByteArray &key, int to);
    /// Migrates the slot of this key with these keys.
    void moveSlot(const QByteArrayList &keys, int from, int to);
    /// Kills a node by SIGKILL, as in a failure.
    void kill(int node);
    /// Freezes a node (SIGSTOP); resume() continues it.
    void suspend(int node) const;
    void resume(int node) const;
    /// Waits until this node reports this state of the cluster, such as `ok`.
    void awaitState(int node, const QByteArray &state);

private:
    void start(const QStringList &extraArguments, Announced announced);
    void introduce();
    void addReplicas();

    std::vector<std::unique_ptr<TestServer>> m_nodes;
    std::vector<quint16> m_ports;
    std::vector<QByteArray> m_ids;
};

} // namespace latchkey::test

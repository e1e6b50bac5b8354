#pragma once

#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/testserver.h"

namespace latchkey::test {

/// Returns the arguments of a server that listens on a port, as primary and replica do.
[[nodiscard]] inline QStringList listeningAt(quint16 port)
{
    return {QStringLiteral("--port"),
            QString::number(port),
            QStringLiteral("--bind"),
            QStringLiteral("127.0.0.1"),
            QStringLiteral("--repl-diskless-sync-delay"),
            QStringLiteral("0")};
}

/// A real server with one real replica.
class ReplicatedServer final
{
public:
    ReplicatedServer()
        : m_port(freePort())
        , m_primary(listeningAt(m_port))
        , m_replica(listeningAt(freePort()))
    {
        (void)m_replica({"REPLICAOF", "127.0.0.1", QByteArray::number(m_port)});
    }

    /// Waits until the replica follows the primary. Returns whether it does.
    [[nodiscard]] bool isReplicated()
    {
        return waitFor([this] {
            return m_replica({"INFO", "replication"}).bytes().contains("master_link_status:up")
                && m_primary({"INFO", "replication"}).bytes().contains("state=online");
        });
    }
    [[nodiscard]] TestServer &primary() { return m_primary; }
    [[nodiscard]] TestServer &replica() { return m_replica; }

private:
    const quint16 m_port;
    TestServer m_primary;
    TestServer m_replica;
};

} // namespace latchkey::test

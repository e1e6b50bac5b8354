#pragma once

#include "core/foundation/process/child.h"
#include "tests/support/testserver.h"

#include <QTemporaryDir>

#include <array>
#include <memory>
#include <vector>

namespace latchkey::test {

/// A primary with two replicas and three sentinels on the loopback: real processes, which end with this object.
///
/// The constructor returns when every sentinel knows the replicas and the other sentinels, so that a failover is
/// possible. Addresses count from 0, which is the first primary. Aborts the test program if the setup does not start.
class SentinelSetup final
{
public:
    static constexpr int serverCount = 3;
    static constexpr int sentinelCount = 3;
    /// Returns the name of the primary at the sentinels.
    static QString master() { return QStringLiteral("orders"); }

    /// Starts the processes. `password`: password of the servers, empty for none. `sentinelPassword`: password of the
    /// sentinels.
    explicit SentinelSetup(const QByteArray &password = {}, const QByteArray &sentinelPassword = {});
    ~SentinelSetup();
    Q_DISABLE_COPY_MOVE(SentinelSetup)

    /// Returns the endpoint with all sentinels and both passwords.
    [[nodiscard]] net::Endpoint endpoint() const;
    [[nodiscard]] QString url() const { return endpoint().toUrlWithPassword(); }
    [[nodiscard]] quint16 port(int server) const { return m_ports.at(static_cast<std::size_t>(server)); }
    [[nodiscard]] quint16 sentinelPort(int sentinel) const
    {
        return m_sentinelPorts.at(static_cast<std::size_t>(sentinel));
    }
    [[nodiscard]] QString address(int server) const { return QStringLiteral("127.0.0.1:%1").arg(port(server)); }

    /// Sends one command to a server, over a separate connection.
    resp::Reply ask(int server, const resp::Command &command) const;
    resp::Reply askSentinel(int sentinel, const resp::Command &command) const;

    /// Waits until the replicas have received all writes of the primary.
    void awaitReplicas() const;
    /// Stops the replication to a replica, or continues it: the process receives SIGSTOP or SIGCONT.
    void suspend(int server) const;
    void resume(int server) const;
    /// Kills a server process by SIGKILL, as in a failure.
    void kill(int server);
    void killSentinel(int sentinel);
    /// Requests a failover; another server then becomes the primary.
    void failOver() const;
    /// Returns the number of the server that the first live sentinel names as the primary; -1 if it is no server of
    /// this setup.
    [[nodiscard]] int namedPrimary() const;

private:
    std::unique_ptr<process::Child> start(const QStringList &arguments);
    [[nodiscard]] net::Endpoint serverEndpoint(int server) const;
    [[nodiscard]] net::Endpoint sentinelEndpoint(int sentinel) const;
    void startServers();
    void startSentinels();

    const QByteArray m_password;
    const QByteArray m_sentinelPassword;
    QTemporaryDir m_folder;
    std::array<quint16, serverCount> m_ports {};
    std::array<quint16, sentinelCount> m_sentinelPorts {};
    std::vector<std::unique_ptr<process::Child>> m_servers;
    std::vector<std::unique_ptr<process::Child>> m_sentinels;
};

} // namespace latchkey::test

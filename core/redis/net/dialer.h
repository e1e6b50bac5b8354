#pragma once

#include "core/foundation/base/clock.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/connection.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/net/handshake.h"
#include "core/redis/net/tls.h"
#include "core/redis/resp/serverinfo.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace latchkey::ssh {
class Tunnel;
}

namespace latchkey::net {

class PrimaryFinder;

/// An accepted connection, and the self-description of the server.
template<typename ConnectionType>
struct DialResult
{
    std::unique_ptr<ConnectionType> connection;
    resp::ServerInfo server;
    std::chrono::nanoseconds roundTrip {}; ///< Round trip of the handshake.
    Endpoint endpoint;                     ///< Endpoint of the server itself; with sentinels, the primary that they
                                           ///< have named.
};

/// Connects, logs in and waits for the result. Errors name the endpoint. With sentinels, also searches for the primary
/// within the timeout: see PrimarySearch.
[[nodiscard]] base::Result<DialResult<BlockingConnection>> dialBlocking(const Endpoint &endpoint,
                                                                        std::chrono::milliseconds timeout);

/// Connects to several servers in parallel, as above. Returns one result per server, in order. The timeout is shared by
/// all servers: half for connecting, half for the handshake. Servers behind sentinels are connected one after the
/// other.
[[nodiscard]] std::vector<base::Result<DialResult<BlockingConnection>>> dialBlocking(
    const std::vector<Endpoint> &endpoints, std::chrono::milliseconds timeout);

/// A single attempt to connect and log in, on the event loop.
///
/// With sentinels, the connection leads to the primary that they name: see PrimaryFinder. Owned by the code that wants
/// the connection; the destructor cancels the attempt. It does not retry: see Session.
class Dialer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Dialer)

public:
    using Callback = std::function<void(base::Result<DialResult<Connection>>)>;

    explicit Dialer(const base::Clock &clock, QObject *parent = nullptr);
    ~Dialer() override;

    /// Sets the limits of a reply over later connections; default: ReplyLimits.
    void setReplyLimits(const resp::ReplyLimits &limits) { m_limits = limits; }
    /// Sets the expected process at the endpoint; default: a server. For later attempts, without sentinels.
    void setPeer(Peer peer) { m_peer = peer; }
    /// Sets the primary to try before the sentinels are asked, possibly none. For later attempts.
    void setKnownPrimary(const std::optional<HostPort> &primary) { m_knownPrimary = primary; }
    /// Starts an attempt. `done` is called once, from the event loop. One attempt at a time. The timeout does not
    /// include the login of ssh, which may ask the user.
    void dial(const Endpoint &endpoint, std::chrono::milliseconds timeout, Callback done);

    /// Returns the untrusted certificate, if it is the reason why the last attempt failed.
    [[nodiscard]] const std::optional<UntrustedCertificate> &refusedCertificate() const { return m_refused; }
    /// Returns whether the last attempt failed and needs a user action, such as accepting an SSH host key.
    [[nodiscard]] bool needsUserAction() const { return m_needsUserAction; }

private:
    void findPrimary();
    void findTunnel();
    void connectThroughTunnel();
    /// Connects the signals of the socket, takes it over and returns it, so that it can be connected.
    template<typename Socket>
    Socket &adopt(std::unique_ptr<Socket> socket);
    [[nodiscard]] base::Text forwardingError();
    void encrypt();
    void encrypted();
    void startHandshake(std::unique_ptr<QIODevice> device);
    void finish(base::Result<DialResult<Connection>> result);

    const base::Clock &m_clock; // Not owned.
    resp::ReplyLimits m_limits;
    Peer m_peer = Peer::Server;
    std::optional<HostPort> m_knownPrimary;
    std::unique_ptr<PrimaryFinder> m_finder; ///< Null without sentinels.
    Endpoint m_endpoint;
    std::chrono::milliseconds m_timeout {};
    QTimer m_deadline;
    std::shared_ptr<ssh::Tunnel> m_tunnel; ///< Null without ssh.
    std::unique_ptr<QIODevice> m_device;
    std::unique_ptr<Connection> m_connection;
    std::unique_ptr<TlsVerifier> m_verifier; ///< Verifier of the device, or of the connection's device.
    std::optional<UntrustedCertificate> m_refused;
    bool m_needsUserAction = false;
    Callback m_done;
};

} // namespace latchkey::net

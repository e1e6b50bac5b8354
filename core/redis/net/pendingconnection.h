#pragma once

#include "core/redis/net/descriptordevice.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/net/tls.h"

#include <QTcpSocket>

#include <chrono>
#include <memory>
#include <optional>

namespace latchkey::ssh {
class Tunnel;
}

namespace latchkey::net {

/// An open device for a caller that waits, with the objects that its connection needs.
struct OpenDevice
{
    std::unique_ptr<QIODevice> device;
    std::unique_ptr<TlsVerifier> verifier; ///< Null without TLS.
    std::shared_ptr<ssh::Tunnel> tunnel;   ///< Null without ssh.
};

/// A connection attempt by any route, for a caller that waits. It starts at once and is waited for later, so that
/// several attempts run in parallel. With ssh, the constructor waits until the tunnel is open, including the user's
/// answers. Owns its device.
class PendingConnection final
{
public:
    /// `timeout`: the time that the deadline of finish() allows, for error messages.
    PendingConnection(const Endpoint &endpoint, std::chrono::milliseconds timeout);

    /// Waits for the connection, with TLS if the endpoint has it. Error: refused, not trusted, or not established by
    /// the deadline. To be called once.
    [[nodiscard]] base::Result<OpenDevice> finish(QDeadlineTimer deadline);

private:
    void connectThroughTunnel();
    [[nodiscard]] base::Result<std::unique_ptr<QTcpSocket>> finishProxy(QDeadlineTimer deadline);
    [[nodiscard]] base::Result<OpenDevice> encrypt(std::unique_ptr<QSslSocket> socket, QDeadlineTimer deadline);

    Endpoint m_endpoint;
    std::chrono::milliseconds m_timeout;
    std::optional<base::Error> m_error;        ///< An error that occurred before the attempt started.
    std::optional<PendingDevice> m_connecting; ///< Absent with a proxy.
    std::unique_ptr<QTcpSocket> m_behindProxy; ///< Null without a proxy.
    std::shared_ptr<ssh::Tunnel> m_tunnel;
};

} // namespace latchkey::net

#pragma once

#include "core/resp/descriptordevice.h"
#include "core/resp/endpoint.h"
#include "core/resp/tls.h"

#include <QTcpSocket>

#include <chrono>
#include <memory>
#include <optional>

namespace latchkey::ssh {
class Tunnel;
}

namespace latchkey::resp {

/// A device for a caller that waits, and what its connection goes through.
struct Opened
{
    std::unique_ptr<QIODevice> device;
    std::unique_ptr<TlsWitness> witness; ///< Null without TLS.
    std::shared_ptr<ssh::Tunnel> tunnel; ///< Null without ssh.
};

/// A connection for a caller that waits, whichever way it goes: begun at once, waited for later, so that several are
/// made side by side. It waits at once for what ssh has to ask.
/// Owns what it has begun.
class Opening final
{
public:
    /// timeout: what the deadline of finish() will be the end of, in the words of errors.
    Opening(const Endpoint &endpoint, std::chrono::milliseconds timeout);

    /// Waits for it, with TLS where the endpoint has it. Error: refused, not trusted, or not there by the deadline.
    /// Once only.
    [[nodiscard]] base::Result<Opened> finish(QDeadlineTimer deadline);

private:
    void goThroughTunnel();
    [[nodiscard]] base::Result<std::unique_ptr<QTcpSocket>> finishProxy(QDeadlineTimer deadline);
    [[nodiscard]] base::Result<Opened> encrypt(std::unique_ptr<QSslSocket> socket, QDeadlineTimer deadline);

    Endpoint m_endpoint;
    std::chrono::milliseconds m_timeout;
    std::optional<base::Error> m_error;        ///< Before anything was begun.
    std::optional<Connecting> m_connecting;    ///< Absent behind a proxy.
    std::unique_ptr<QTcpSocket> m_behindProxy; ///< Null without one.
    std::shared_ptr<ssh::Tunnel> m_tunnel;
};

} // namespace latchkey::resp

#pragma once

#include "core/explore/programs/networknamespace.h"
#include "core/explore/shim/programclock.h"
#include "core/foundation/process/launch.h"

namespace latchkey::programs {

/// The connection addresses of one process: a port for each server, a Unix socket for the first server, and the
/// environment variables that contain them.
class ProcessEndpoint final
{
public:
    /// Opens the sockets. `servers`: at least 1; exactly 1 with a fixed port. `fixedPort`: the port that the process
    /// always uses; 0: it reads its environment. `socket`: path of the Unix socket, where no file exists. Error
    /// (Local): the system refuses it.
    [[nodiscard]] static base::Result<ProcessEndpoint> open(int servers, quint16 fixedPort, const QString &socket);

    /// Adds the environment variables and the actions before exec to `launch`. This object must outlive the start.
    void applyTo(process::Launch &launch) const;
    /// Redirects a forked process, which has the environment of the endpoint `shown`, to this endpoint.
    void redirectFrom(const ProcessEndpoint &shown, shim::ProgramClock &clock) const;
    /// Returns all sockets to which the process may connect. Call after the start. Error (Local): the system refuses
    /// it.
    [[nodiscard]] base::Result<std::vector<Listener>> takeListeners();
    /// Returns the reason for a failed start, if this object caused it.
    [[nodiscard]] std::optional<base::Error> refusal(std::error_code error) const;

private:
    ProcessEndpoint() = default;

    std::vector<Listener> m_listeners;
    std::unique_ptr<NetworkNamespace> m_networkNamespace; ///< Null if the process reads its environment.
    std::vector<quint16> m_ports;                         ///< Port of each server.
    QByteArray m_socket;
};

} // namespace latchkey::programs

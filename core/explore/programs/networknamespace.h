#pragma once

#include "core/explore/programs/listener.h"

#include <memory>
#include <system_error>
#include <vector>

namespace latchkey::programs {

/// A private network for a process that always uses a fixed port. The network contains only 127.0.0.1, ::1 and a
/// listener on that port.
///
/// The isolation uses a user namespace with the same user and group, so no privileges are required. The child creates
/// the network between fork and exec, listens in it, and sends the listening sockets to the parent. Owned by the
/// ProcessEndpoint.
class NetworkNamespace final
{
public:
    /// Creates the channel between child and parent. Error (Local): the system refuses a socket.
    [[nodiscard]] static base::Result<std::unique_ptr<NetworkNamespace>> prepare(quint16 port);
    ~NetworkNamespace();
    Q_DISABLE_COPY_MOVE(NetworkNamespace)

    /// Enters the private network. Runs in the child as Launch::preExecHook. Returns false and sets errno on failure.
    [[nodiscard]] bool enter() const;
    /// Receives the listening sockets of the child. Call after the start. Error (Local): the system refuses it.
    [[nodiscard]] base::Result<std::vector<Listener>> listeners() const;
    /// Returns the reason for a failed start, if the isolation caused it; otherwise absent. `error`: error of the
    /// start.
    [[nodiscard]] std::optional<base::Error> refusal(std::error_code error) const;

private:
    NetworkNamespace(quint16 port, int ours, int theirs);
    [[nodiscard]] bool unshareNamespaces() const;
    [[nodiscard]] bool sendListeners() const;

    const quint16 m_port;
    const QByteArray m_userMap;
    const QByteArray m_groupMap;
    const int m_parentSocket;
    const int m_childSocket;
};

} // namespace latchkey::programs

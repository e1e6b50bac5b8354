#pragma once

#include "core/children/launch.h"
#include "core/programs/isolation.h"

namespace latchkey::programs {

/// How one process comes to the server that it believes to have: a port and a Unix socket, and the environment that
/// names them.
class Entrance final
{
public:
    /// fixedPort: the port that the process insists on; 0: it goes where it is told. socket: a path where nothing is.
    /// Error (Local): the system refuses it.
    [[nodiscard]] static base::Result<Entrance> open(quint16 fixedPort, const QString &socket);

    /// Adds what the process is to know, and has to do before it runs. Outlives the start.
    void describeTo(children::Launch &launch) const;
    /// Once it has been started: all that it may connect to. Error (Local): the system refuses it.
    [[nodiscard]] base::Result<std::vector<Listener>> takeListeners();
    /// Once it could not be started: why, where it is for this.
    [[nodiscard]] std::optional<base::Error> refusal(std::error_code error) const;

private:
    Entrance() = default;

    std::vector<Listener> m_listeners;
    std::unique_ptr<Isolation> m_isolation; ///< Null: it goes where it is told.
    quint16 m_port = 0;
    QByteArray m_socket;
};

} // namespace latchkey::programs

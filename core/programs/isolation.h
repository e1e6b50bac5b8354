#pragma once

#include "core/programs/listener.h"

#include <memory>
#include <system_error>
#include <vector>

namespace latchkey::programs {

/// A network of its own for a process that insists on a port: nothing is in it but 127.0.0.1 and ::1, and there that
/// port, on which we listen.
///
/// By a user namespace, in which the process is who it was, so that no rights are needed. The child itself makes it,
/// between fork and exec, listens in it, and hands what it listens on back to us. Owned by the Entrance.
class Isolation final
{
public:
    /// Error (Local): the system refuses a socket.
    [[nodiscard]] static base::Result<std::unique_ptr<Isolation>> prepare(quint16 port);
    ~Isolation();
    Q_DISABLE_COPY_MOVE(Isolation)

    /// The child's part, for Launch::beforeItRuns.
    [[nodiscard]] bool enter() const;
    /// Once the child has been started: what listens in there. Error (Local): the system refuses it.
    [[nodiscard]] base::Result<std::vector<Listener>> listeners() const;
    /// Once the child could not be started: why, where it is for this.
    [[nodiscard]] std::optional<base::Error> refusal(std::error_code error) const;

private:
    Isolation(quint16 port, int ours, int theirs);
    [[nodiscard]] bool becomeAlone() const;
    [[nodiscard]] bool handOver() const;

    const quint16 m_port;
    const QByteArray m_userMap;
    const QByteArray m_groupMap;
    const int m_ours;
    const int m_theirs;
};

} // namespace latchkey::programs

#pragma once

#include "core/foundation/base/error.h"

#include <QString>

namespace latchkey::ssh {

/// The host that ssh logs in to, and from which the connection continues to the Redis server. A value type.
///
/// Unset members are determined by the user's ssh configuration, in which the host may be an alias. It holds no secret,
/// because ssh asks for secrets itself.
struct SshHost
{
    QString user; ///< Empty: the default of ssh.
    QString host;
    quint16 port = 0; ///< 0: the default of ssh.

    /// Reads `[user@]host[:port]`; an IPv6 address is in brackets. Error (Usage): the problem of the text. A text that
    /// a shell or ssh could interpret as anything but a name is refused.
    [[nodiscard]] static base::Result<SshHost> fromText(const QString &text);

    /// Returns the text that fromText() reads.
    [[nodiscard]] QString display() const;

    friend bool operator==(const SshHost &, const SshHost &) = default;
};

/// The destination of a tunnel as seen from the SSH host: a port, or a Unix socket on that host.
struct Target
{
    QString host; ///< Name as the SSH host resolves it; empty: a Unix socket.
    quint16 port = 0;
    QString path; ///< Path of the Unix socket.

    friend bool operator==(const Target &, const Target &) = default;
};

} // namespace latchkey::ssh

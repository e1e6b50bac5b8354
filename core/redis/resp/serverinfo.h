#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/resp/reply.h"

#include <QVersionNumber>

namespace latchkey::resp {

/// The self-description of a server in `INFO server`. Any part may be missing, because an ACL can deny the command.
/// Used for display, and to detect that a server was restarted or replaced. The version is only a hint about the
/// supported commands: the server's reply to a command decides.
struct ServerInfo
{
    QString product; ///< "Redis", "Valkey" …; empty if not known.
    QVersionNumber version;
    QString mode;  ///< "standalone", "cluster", "sentinel".
    QString runId; ///< Changes with every start of the server.

    /// Parses the text of an INFO reply; unknown lines are ignored.
    [[nodiscard]] static ServerInfo fromInfo(const QByteArray &info);

    /// Returns "Redis 7.0.15", or an empty text if the product is unknown.
    [[nodiscard]] QString display() const;

    friend bool operator==(const ServerInfo &, const ServerInfo &) = default;
};

} // namespace latchkey::resp

#pragma once

#include "core/base/error.h"
#include "core/resp/reply.h"

#include <QVersionNumber>

namespace latchkey::resp {

/// What a server says about itself in `INFO server`. Every part may be missing: an ACL can deny the command.
/// For display, and for noticing that a server was replaced; what a server can do is asked of the server, not of this.
struct ServerInfo
{
    QString product; ///< "Redis", "Valkey" …; empty when not known.
    QVersionNumber version;
    QString mode;  ///< "standalone", "cluster", "sentinel".
    QString runId; ///< Changes with every start of the server.

    /// From the text of an INFO reply; unknown lines are passed over.
    [[nodiscard]] static ServerInfo fromInfo(const QByteArray &info);

    /// "Redis 7.0.15", or an empty text where the server did not say.
    [[nodiscard]] QString display() const;

    friend bool operator==(const ServerInfo &, const ServerInfo &) = default;
};

} // namespace latchkey::resp

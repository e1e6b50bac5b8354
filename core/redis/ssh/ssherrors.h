#pragma once

#include "core/redis/ssh/sshhost.h"

#include <QByteArray>

namespace latchkey::ssh {

// Conversion of the English messages of ssh into errors with the failed step and advice. ssh has no translations and
// always exits with 255, so its messages are the only source.

/// The reason why no tunnel was established.
struct NoTunnel
{
    base::Error error;            ///< Unreachable or Local.
    bool needsUserAction = false; ///< True if a retry cannot succeed without a user action.
};

/// Returns the reason; `said`: all output of ssh.
[[nodiscard]] NoTunnel whyNoTunnel(const SshHost &hop, const QByteArray &said);

/// Returns why the connection from the SSH host to the server failed, if `said` contains such a message; otherwise
/// empty.
[[nodiscard]] base::Text forwardingError(const SshHost &hop, const QByteArray &said);

} // namespace latchkey::ssh

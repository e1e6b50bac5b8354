#pragma once

#include "core/redis/ssh/sshhost.h"

#include <QByteArray>

namespace latchkey::ssh {

// Conversion of the English messages of ssh into errors with the failed step and advice. ssh has no translations and
// always exits with 255, so its messages are the only source.

/// The reason why no tunnel was established.
struct TunnelFailure
{
    base::Error error;            ///< Unreachable or Local.
    bool needsUserAction = false; ///< True if a retry cannot succeed without a user action.
};

/// Returns the reason why no tunnel was established. `output`: all output of ssh.
[[nodiscard]] TunnelFailure tunnelFailure(const SshHost &sshHost, const QByteArray &output);

/// Returns why the connection from the SSH host to the server failed. Empty if the output contains no such message.
[[nodiscard]] base::Text forwardingError(const SshHost &sshHost, const QByteArray &output);

} // namespace latchkey::ssh

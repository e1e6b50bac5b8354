#pragma once

#include "app/cli/arguments.h"
#include "core/foundation/process/launch.h"

namespace latchkey::cli {

/// Returns environment variables that direct a latchkey-cli called by the program to the same server and user:
/// LATCHKEY_URL for a single --url, LATCHKEY_PASSWORD for a --password-file. The two never contradict each other: a
/// previous value that was overridden is not passed on.
///
/// The environment of a process is readable by its own user (and root) only; its command line is readable by all users.
/// `servers`: the servers of the arguments.
[[nodiscard]] QList<process::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                                 const std::vector<net::Endpoint> &servers);

} // namespace latchkey::cli

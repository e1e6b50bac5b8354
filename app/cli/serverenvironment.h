#pragma once

#include "app/cli/arguments.h"
#include "core/foundation/process/launch.h"

namespace latchkey::cli {

/// Returns environment variables for a child program, so that a latchkey-cli called by it uses the same server and
/// user. The variables are LATCHKEY_URL for a single server, LATCHKEY_PASSWORD,
/// LATCHKEY_PROXY_PASSWORD and LATCHKEY_SENTINEL_PASSWORD. They never
/// contradict each other: an overridden previous value is not passed on.
///
/// The environment of a process is readable by its own user (and root) only; its command line is readable by all users.
/// `servers`: the servers of the arguments.
[[nodiscard]] QList<process::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                                 const std::vector<net::Endpoint> &servers);

} // namespace latchkey::cli

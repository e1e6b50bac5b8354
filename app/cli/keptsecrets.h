#pragma once

#include "core/servers/keptserver.h"

#include <vector>

// What the window keeps for --server NAME: where the servers are, and what the desktop's keychain has for them.

namespace latchkey::cli {

/// The servers that are kept by these names. Error (Usage): no server is kept so.
[[nodiscard]] base::Result<std::vector<servers::KeptServer>> keptServers(const QStringList &names);

/// The endpoints, of which the last are those of the servers of these names, with what the keychain has where they lack
/// it; waits for it, and for the user where the keychain is locked. To be called before anything else runs the event
/// loop. Errors: as above, and of the keychain (Local).
[[nodiscard]] base::Result<std::vector<resp::Endpoint>> withKeptSecrets(std::vector<resp::Endpoint> endpoints,
                                                                        const QStringList &names);

} // namespace latchkey::cli

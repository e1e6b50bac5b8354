#pragma once

#include "core/redis/connections/redlockgroup.h"
#include "core/redis/connections/savedconnection.h"

#include <vector>

// Access to the window's data for --server NAME: saved connections, and passwords in the desktop's keychain.

namespace latchkey::cli {

/// Returns the saved connections of these names; for the name of a redlock group, those of its members. Errors (Usage):
/// a name is unknown, or a group cannot be used.
[[nodiscard]] base::Result<std::vector<connections::SavedConnection>> savedConnections(const QStringList &names);

/// Returns whether one of these names, or the endpoint itself, is saved as a production server.
[[nodiscard]] bool isSavedAsProduction(const net::Endpoint &server, const QStringList &names);

/// Adds missing passwords from the keychain to the last endpoints, which are those of `names` in order. Blocks on the
/// keychain, and on the user if it is locked. Must be called before other code runs the event loop. Errors: as above;
/// Local, from the keychain.
[[nodiscard]] base::Result<std::vector<net::Endpoint>> withSavedSecrets(std::vector<net::Endpoint> endpoints,
                                                                        const QStringList &names);

} // namespace latchkey::cli

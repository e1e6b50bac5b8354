#pragma once

#include "core/redis/connections/savedconnections.h"
#include "core/redis/connections/secrets.h"

#include <functional>

// Changes to the saved servers that keep the secrets in the keychain consistent. SavedConnection::hasSecrets is set
// only if the keychain has secrets of that server. The keychain has no secrets of servers that are not saved.
//
// The callback is called once; without keychain access, it is called before the function returns. `saved` must outlive
// the request. The context may be destroyed earlier; the callback is then not called. A request may take any time; see
// keychain.h.

namespace latchkey::connections {

/// Saves a server, replacing the one named `replaced` if that is not empty, and its secrets if `hasSecrets` is set.
/// `secrets`: new secrets; an empty one keeps the keychain's value. A renamed server keeps its secrets. Without
/// `hasSecrets` the keychain's secrets are removed. Errors: those of SavedConnections::put() and of the keychain. After
/// an error nothing has changed, with two exceptions. If the keychain cannot remove old secrets, the server is saved
/// nevertheless. If the file cannot be written, the keychain may already have new secrets under an unchanged name.
void saveServer(SavedConnections &saved, const SavedConnection &server, const QString &replaced, const Secrets &secrets,
                QObject &context, std::function<void(const base::Result<void> &)> done);

/// Removes a server from the saved ones and its secrets from the keychain. Errors: those of SavedConnections::remove(),
/// then nothing has changed; or those of the keychain, then the server is already removed.
void removeServer(SavedConnections &saved, const QString &name, QObject &context,
                  std::function<void(const base::Result<void> &)> done);

} // namespace latchkey::connections

#pragma once

#include "core/secrets/secrets.h"
#include "core/servers/serverbook.h"

#include <functional>

// Servers that are kept by name, and their secrets in the keychain, kept in step: the book says of a server that its
// secrets are in the keychain only where they are, and the keychain has none of a server that nobody keeps.
//
// Who keeps a server is told once what has come of it, before the call returns where the keychain has no part in it.
// The book outlives what is asked; the context may go earlier, and is then not told. See keychain.h for what it may
// take.

namespace latchkey::secrets {

/// Writes a server into the book, in the place of the one called replaced where that is not empty, and its secrets into
/// the keychain if it hasSecrets. secrets: new ones; what is empty in them stays what the keychain has. A server that
/// is renamed takes its secrets along. Not hasSecrets: the keychain forgets those that it has.
/// Errors: those of ServerBook::put() and of the keychain; then nothing has changed, but that a server which is not to
/// have any is in the book without them although the keychain could not be made to forget them.
void keepServer(servers::ServerBook &book, const servers::KeptServer &server, const QString &replaced,
                const Secrets &secrets, QObject &context, std::function<void(const base::Result<void> &)> done);

/// Takes a server out of the book, and its secrets out of the keychain. Errors: those of ServerBook::remove(), then
/// nothing has changed; or of the keychain, then the server is no longer in the book.
void removeServer(servers::ServerBook &book, const QString &name, QObject &context,
                  std::function<void(const base::Result<void> &)> done);

} // namespace latchkey::secrets

#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/connections/secrets.h"

#include <functional>

class QObject;

// The desktop's keychain with the secrets of servers. Each server has one entry with the name `Latchkey/NAME`.
//
// All functions deliver their result later, from the event loop. The keychain may first ask the user to unlock it, in
// its own window and for any time. Requests are executed in order. If the context was destroyed meanwhile, the callback
// is not called, but the request is executed nevertheless.
//
// Errors (Local) are one sentence: the operation and the server, the reason (keychain missing, locked, refused, no such
// entry), and what to do.

namespace latchkey::connections {

/// Returns whether this program was built with keychain support; otherwise all functions below fail with that reason.
[[nodiscard]] bool isKeychainBuiltIn();

/// Reads the entry. A missing entry is an error too, because the function is called only if an entry is expected.
void readKeychain(const QString &server, QObject &context, std::function<void(const base::Result<Secrets> &)> done);
/// Writes the entry, replacing an existing one.
void writeKeychain(const QString &server, const Secrets &secrets, QObject &context,
                   std::function<void(const base::Result<void> &)> done);
/// Removes the entry. A missing entry is not an error.
void clearKeychain(const QString &server, QObject &context, std::function<void(const base::Result<void> &)> done);

} // namespace latchkey::connections

#pragma once

#include "core/base/error.h"
#include "core/secrets/secrets.h"

#include <functional>

class QObject;

// The desktop's keychain, as far as it holds secrets of servers: one entry each, called `Latchkey/NAME` there.
//
// Whatever is asked of it is answered later, from the event loop, since the keychain may first ask the user to unlock
// it, in a window of its own and for as long as the user takes. What is asked while it is still at something is done
// after that, in order. No answer comes when the context has gone by then; what was asked is done all the same.
//
// Errors (Local) are one sentence: what was attempted of which server, why the keychain did not do it (it is not there,
// it is locked, it has refused, it has no such entry), and what to do.

namespace latchkey::secrets {

/// Whether this program was built with what speaks to keychains; else everything below is an error that says so.
[[nodiscard]] bool isKeychainBuiltIn();

/// Error also where there is no entry: it is asked only for what is said to be there.
void readKeychain(const QString &server, QObject &context, std::function<void(const base::Result<Secrets> &)> done);
/// In the place of what there was.
void writeKeychain(const QString &server, const Secrets &secrets, QObject &context,
                   std::function<void(const base::Result<void> &)> done);
/// That there is no such entry is no error.
void clearKeychain(const QString &server, QObject &context, std::function<void(const base::Result<void> &)> done);

} // namespace latchkey::secrets

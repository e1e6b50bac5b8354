#pragma once

#include "core/locks/catalogue.h"

#include <functional>

namespace latchkey::locks {

/// Whether the server will not carry that command out for this user, whatever it is about: the ACL denies it, or there
/// is no such command. What would only have been a courtesy is left out then.
[[nodiscard]] bool isDenied(const exchange::Answer &answer);

/// Ends with WrongType where the key exists and is not a string, which no lock of this program is.
///
/// The recipes themselves are what the books say, and a plain DEL removes a list as readily as a lock. The command line
/// and the window ask this first, so that a mistyped key costs nothing. It is courtesy, not safety: the key can change
/// right after; and a user who may not ask for a type goes without. With several servers it is one that has such a key;
/// those that do not answer say nothing, unless none does.
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, int servers = 1);

/// acquireWithin(), which asks that first where the recipe writes into a key that it does not win.
/// recipe: the one that lock is of. The lock must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireUnlessForeign(const Recipe &recipe, Lock &lock, base::Key key,
                                                                   std::chrono::milliseconds wait,
                                                                   std::function<bool()> givesUp = {});

} // namespace latchkey::locks

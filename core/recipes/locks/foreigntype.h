#pragma once

#include "core/recipes/locks/catalogue.h"

#include <functional>

namespace latchkey::locks {

/// Whether the server never executes this command for this user, because the ACL denies it or the command does not
/// exist. An optional command is then skipped.
[[nodiscard]] bool isDenied(const exchange::Answer &answer);

/// Ends with WrongType if the key exists and is not a string. All locks of this program are strings.
///
/// The recipes follow the literature, and a plain DEL removes a list as readily as a lock. The command line and the
/// window call this first, so that a mistyped key does no harm. This is a courtesy, not a guarantee: the key can change
/// right afterwards, and a user without permission for TYPE skips the check. With several servers, one server with such
/// a key suffices. Servers that do not reply are ignored, unless no server replies.
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, int servers = 1);

/// Acquires with acquireWithin(). Checks the type first if the recipe writes into a key that it does not win. recipe:
/// the recipe of lock. The lock must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireUnlessForeign(const Recipe &recipe, Lock &lock, base::Key key,
                                                                   std::chrono::milliseconds wait,
                                                                   std::function<bool()> givesUp = {});

} // namespace latchkey::locks

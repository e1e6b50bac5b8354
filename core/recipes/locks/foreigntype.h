#pragma once

#include "core/recipes/locks/catalogue.h"

#include <functional>

namespace latchkey::locks {

/// Returns whether the server refused the command because the ACL denies it or the command does not exist. Callers skip
/// an optional command then.
[[nodiscard]] bool isDenied(const exchange::Answer &answer);

/// Returns the type of the key if it exists with another type than `wanted`. Empty otherwise, and if TYPE is not
/// permitted. With several servers, one server with such a key suffices. Servers that do not reply are ignored; if none
/// replies, the exchange ends with the first error.
[[nodiscard]] exchange::Exchange<QByteArray> foreignType(base::Key key, QByteArray wanted, int servers = 1);

/// Ends with WrongType if foreignType() finds a key that is not a string. All locks of this program are strings.
///
/// The recipes follow the literature: a plain DEL also removes a list. The command line and the window call this
/// first, so that a mistyped key is not deleted. The check is no guarantee: the key can change afterwards.
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, int servers = 1);

/// Acquires with acquireWithin(). Calls refuseForeignType() first if the recipe has failedAcquireChangesKey. `recipe`
/// and `key`: those of `lock`, which must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireUnlessForeign(const Recipe &recipe, Lock &lock, base::Key key,
                                                                   std::chrono::milliseconds wait,
                                                                   std::function<bool()> givesUp = {});

} // namespace latchkey::locks

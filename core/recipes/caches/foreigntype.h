#pragma once

#include "core/foundation/base/bytes.h"
#include "core/redis/exchange/exchange.h"

namespace latchkey::caches {

/// Ends with WrongType if the key exists and its type is not the recipe's. `holdsFields`: Recipe::holdsFields; true:
/// the type is hash, false: string.
///
/// Some recipes replace content of any type, or change its TTL. The command line calls this first, so that a mistyped
/// key is not overwritten. The check is no guarantee; see locks::foreignType().
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, bool holdsFields);

} // namespace latchkey::caches

#pragma once

#include "core/foundation/base/bytes.h"
#include "core/redis/exchange/exchange.h"

namespace latchkey::caches {

/// Ends with WrongType if the key exists and its type is not the recipe's: a hash, or a single value.
///
/// Some recipes replace any content, or change its TTL, which is the lesson of those recipes. The command line calls
/// this first, so that a mistyped key does no harm. This is a courtesy, not a guarantee: the key can change right
/// afterwards, and a user without permission for TYPE skips the check.
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, bool holdsFields);

} // namespace latchkey::caches

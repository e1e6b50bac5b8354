#pragma once

#include "core/base/bytes.h"
#include "core/exchange/exchange.h"

namespace latchkey::caches {

/// Ends with WrongType where the key exists and holds neither nothing nor what the recipe holds: fields, or one value.
///
/// Some recipes replace whatever stands there, or change its lifetime; that is what they teach. The command line asks
/// this first, so that a mistyped key costs nothing. It is courtesy, not safety: the key can change right after, and a
/// user who may not ask for a type goes without.
[[nodiscard]] exchange::Exchange<void> refuseForeignType(base::Key key, bool holdsFields);

} // namespace latchkey::caches

#pragma once

#include "core/recipes/locks/lock.h"

#include <functional>

namespace latchkey::locks {

/// Attempts to acquire until the lock is won or the wait is over. The first attempt is immediate; the pauses grow from
/// 5 to 50 ms. Each attempt has its own token. A wait of zero is a single attempt. An error ends the exchange.
/// `givesUp`: called after each lost attempt; true ends the wait. An attempt is never interrupted, because it may be
/// about to win. The lock must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireWithin(Lock &lock, std::chrono::milliseconds wait,
                                                            std::function<bool()> givesUp = {});

} // namespace latchkey::locks

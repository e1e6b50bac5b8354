#pragma once

#include "core/locks/lock.h"

#include <functional>

namespace latchkey::locks {

/// Attempts until the lock is won or the wait is over: at once, then after pauses that grow from 5 to 50 ms. Each is an
/// attempt of its own, with a token of its own. A wait of zero is a single attempt.
/// givesUp: asked after each attempt that was lost; the wait is over once it says so. An attempt is never broken off,
/// for it may be about to win. The lock must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireWithin(Lock &lock, std::chrono::milliseconds wait,
                                                            std::function<bool()> givesUp = {});

} // namespace latchkey::locks

#pragma once

#include "core/locks/lock.h"

namespace latchkey::locks {

/// Attempts until the lock is won or the wait is over: at once, then after pauses that grow from 5 to 50 ms. Each is an
/// attempt of its own, with a token of its own. A wait of zero is a single attempt.
/// The lock must outlive the exchange.
[[nodiscard]] exchange::Exchange<Acquisition> acquireWithin(Lock &lock, std::chrono::milliseconds wait);

} // namespace latchkey::locks

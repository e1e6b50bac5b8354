#include "core/recipes/locks/waiting.h"

namespace latchkey::locks {

using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::Pause;
using namespace std::chrono_literals;

// NOLINTNEXTLINE(*-avoid-reference-coroutine-parameters): the header states the lifetime of the lock.
Exchange<Acquisition> acquireWithin(Lock &lock, std::chrono::milliseconds wait, std::function<bool()> givesUp)
{
    if (wait <= 0ms) { // No time measurement is needed.
        const Acquisition only = co_await lock.acquire();
        co_return only;
    }
    const Instant start = co_await now();
    const auto deadline = start.monotonic + wait;
    for (std::chrono::milliseconds pause = 5ms;; pause = std::min(pause * 2, std::chrono::milliseconds(50ms))) {
        const Acquisition acquisition = co_await lock.acquire();
        if (acquisition.isAcquired() || (givesUp && givesUp()))
            co_return acquisition;
        const Instant instant = co_await now();
        if (instant.monotonic + pause > deadline)
            co_return acquisition;
        co_await Pause {pause};
    }
}

} // namespace latchkey::locks

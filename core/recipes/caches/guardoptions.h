#pragma once

#include "core/foundation/base/lease.h"

#include <chrono>
#include <optional>

namespace latchkey::caches {

/// The handling of a miss while another client recomputes the value.
enum class GuardPolicy : quint8 {
    Wait,       ///< The client waits for the new value.
    ServeStale, ///< The client gets the old value, which is kept for a while after its expiry. If there is none, it
                ///< waits.
    None,       ///< There is no guard, and every client recomputes: the stampede, for comparison.
};

/// The options of a guard.
struct GuardOptions
{
    GuardPolicy policy = GuardPolicy::Wait;
    /// Lease of the guard, after which it ends if its holder dies. A longer recomputation must renew() it.
    base::Lease lease = base::Lease::of(std::chrono::seconds(10)).value();
    /// Maximum total of the pauses of one lookup.
    std::chrono::milliseconds wait = std::chrono::seconds(30);
    /// Time for which the stale copy outlives the value (ServeStale). Default: the value's lifetime.
    std::optional<base::Lease> staleFor;
};

} // namespace latchkey::caches

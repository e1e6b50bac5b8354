#pragma once

#include "core/base/lease.h"

#include <chrono>
#include <optional>

namespace latchkey::caches {

/// What becomes of a miss while another client recomputes the value.
enum class GuardPolicy : quint8 {
    Wait,       ///< It waits for the new value.
    ServeStale, ///< It is answered with the old value, kept beside the new for a while; where there is none, it waits.
    None,       ///< There is no guard, and everybody recomputes: the stampede, for comparison.
};

/// How a miss is guarded.
struct GuardOptions
{
    GuardPolicy policy = GuardPolicy::Wait;
    /// The guard ends with it if its holder dies. A recomputation that takes longer has to renew() it.
    base::Lease lease = base::Lease::of(std::chrono::seconds(10)).value();
    /// What the pauses of one lookup may add up to.
    std::chrono::milliseconds wait = std::chrono::seconds(30);
    /// How long the stale copy outlives the value (ServeStale). Absent: as long again as the value's lifetime.
    std::optional<base::Lease> staleFor;
};

} // namespace latchkey::caches

#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/redis/exchange/step.h"

// The unit of a lifetime, and the result of a write that sets the lifetime in a second step.

namespace latchkey::caches {

/// Unit in which a lifetime is sent; the units are those of a lock's lease.
using LifetimeUnit = locks::LeaseUnit;

/// Returns `EXPIRE key seconds` or `PEXPIRE key milliseconds`.
[[nodiscard]] resp::Command expireIn(const base::Key &key, base::Lease lifetime, LifetimeUnit unit);

/// Returns whether an EXPIRE after a write found the key. False if the key expired or was deleted in between. If EXPIRE
/// failed, the exchange ends with its error, which states that the data has no TTL.
[[nodiscard]] bool gaveLifetime(const exchange::Answer &answer);

} // namespace latchkey::caches

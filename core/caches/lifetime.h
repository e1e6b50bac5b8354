#pragma once

#include "core/exchange/step.h"
#include "core/locks/recipe.h"

// How a cached value's lifetime travels, and what becomes of a write whose lifetime comes second.

namespace latchkey::caches {

/// In which unit a lifetime travels; the same two as those of a lock's lease.
using LifetimeUnit = locks::LeaseUnit;

/// `EXPIRE key seconds` or `PEXPIRE key milliseconds`.
[[nodiscard]] resp::Command expireIn(const base::Key &key, base::Lease lifetime, LifetimeUnit unit);

/// Whether an EXPIRE that followed a write found the key; it says no where the key ended or was deleted in between.
/// Where it failed, the exchange ends with its error, which says that the data stays behind without a lifetime.
[[nodiscard]] bool gaveLifetime(const exchange::Answer &answer);

} // namespace latchkey::caches

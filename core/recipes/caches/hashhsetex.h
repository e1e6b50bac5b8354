#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the fields of a hash, each with the lifetime, by one command of newer servers.
///
///     write   HSETEX key PX milliseconds FIELDS n field value …
///             if the server refuses that: the script of HashLuaCache
///     read    HGETALL key                a miss if absent or expired
///
/// HSETEX exists since Redis 8.0 and Valkey 9.0. It gives the lifetime to the fields, not to the key, which ends with
/// its last field. So PTTL is -1, and HPTTL returns the lifetime. Other lifetimes of the hash do not change: a field of
/// another writer may have none, and the key may already have a shorter TTL. A key of another type is an error that
/// changes nothing.
class HashHsetexCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    HashHsetexCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches

#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Writes the fields of a hash, each with the lifetime, by one command of newer servers.
///
///     write   HSETEX key PX milliseconds FIELDS n field value …
///             where the server refuses that: one script, as HashLuaCache's
///     read    HGETALL key                nothing when missing or expired
///
/// HSETEX came with Redis 8.0 and Valkey 9.0. The lifetimes are those of the fields and not the key's, which ends with
/// its last field: PTTL is -1, and HPTTL tells. What else the hash holds keeps what it has: fields of another kind of
/// write no lifetime, and a key its own, where that ends sooner. A key of another type is an error that changes
/// nothing.
class HashHsetexCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    HashHsetexCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches

#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Writes the fields of a hash first and its lifetime afterwards. (Flawed.)
///
///     write   HSET key field value …     an error ends it
///             EXPIRE key seconds
///     read    HGETALL key                nothing when missing or expired
///
/// Hashes have no one command for both, so here is the gap of SetThenExpireCache again: a client that dies between the
/// two leaves fields that never expire. Because an error of HSET ends it, a key of another type keeps its lifetime.
class HashThenExpireCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lifetime: whole seconds.
    HashThenExpireCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches

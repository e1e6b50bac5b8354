#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the fields of a hash first and its lifetime afterwards. (Flawed.)
///
///     write   HSET key field value …     an error ends it
///             EXPIRE key seconds
///     read    HGETALL key                a miss if absent or expired
///
/// Hashes have no single command for both, so the gap of SetThenExpireCache exists here, too. A client that dies
/// between the two commands leaves fields that never expire. An error of HSET ends the write, so a key of another type
/// keeps its TTL.
class HashThenExpireCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lifetime`: whole seconds.
    HashThenExpireCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches

#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the fields of a hash and its lifetime with one script, atomically.
///
///     write   one script: HSET key field value …, PEXPIRE key milliseconds
///     read    HGETALL key                a miss if absent or expired
///
/// A key of another type is an error that changes nothing. (The well-known version of this script ignores the error of
/// HSET, and then shortens the TTL of another program's key.)
class HashLuaCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    HashLuaCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

/// Returns the call of the script, for recipes that write the same.
[[nodiscard]] exchange::ScriptCall hashWithLifetime(const base::Key &key, base::Lease lifetime, const Fields &fields);

} // namespace latchkey::caches

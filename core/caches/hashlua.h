#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Writes the fields of a hash and its lifetime with one script, together or not at all.
///
///     write   one script: HSET key field value …, PEXPIRE key milliseconds
///     read    HGETALL key                nothing when missing or expired
///
/// A key of another type is an error that changes nothing. (The well-known version of this script swallows HSET's
/// error, and then shortens the life of somebody else's key.)
class HashLuaCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    HashLuaCache(base::Key key, base::Lease lifetime);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

/// The script's call, for whoever writes the same.
[[nodiscard]] exchange::ScriptCall hashWithLifetime(const base::Key &key, base::Lease lifetime, const Fields &fields);

} // namespace latchkey::caches

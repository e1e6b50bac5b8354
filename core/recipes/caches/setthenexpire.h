#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the value first and its lifetime afterwards. (Flawed.)
///
///     write   SET key value
///             PEXPIRE key milliseconds      or EXPIRE key seconds
///     read    GET key                       a miss if absent or expired
///
/// A client that dies between the two commands leaves a value that never expires: readers get a stale value forever.
class SetThenExpireCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lifetime`: whole seconds if the unit is Seconds.
    SetThenExpireCache(base::Key key, base::Lease lifetime, LifetimeUnit unit);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
    const LifetimeUnit m_unit;
};

} // namespace latchkey::caches

#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Writes the value first and its lifetime afterwards. (Flawed.)
///
///     write   SET key value
///             PEXPIRE key milliseconds      or EXPIRE key seconds
///     read    GET key                       nothing when missing or expired
///
/// A client that dies between the two leaves a value that never expires: it is served for ever, and stale.
class SetThenExpireCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lifetime: whole seconds where the unit is Seconds.
    SetThenExpireCache(base::Key key, base::Lease lifetime, LifetimeUnit unit);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
    const LifetimeUnit m_unit;
};

} // namespace latchkey::caches

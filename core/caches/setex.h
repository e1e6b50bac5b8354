#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// The older command that writes a value and its lifetime together.
///
///     write   SETEX key seconds value     or PSETEX key milliseconds value
///     read    GET key                     nothing when missing or expired
///
/// From before SET had options. It always replaces whatever the key held.
class SetexCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// lifetime: whole seconds where the unit is Seconds.
    SetexCache(base::Key key, base::Lease lifetime, LifetimeUnit unit);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
    const LifetimeUnit m_unit;
};

} // namespace latchkey::caches

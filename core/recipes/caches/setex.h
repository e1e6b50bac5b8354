#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes a value and its lifetime together with the older command.
///
///     write   SETEX key seconds value     or PSETEX key milliseconds value
///     read    GET key                     a miss if absent or expired
///
/// The command dates from before SET had options, and always replaces the previous content.
class SetexCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lifetime`: whole seconds if the unit is Seconds.
    SetexCache(base::Key key, base::Lease lifetime, LifetimeUnit unit);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
    const LifetimeUnit m_unit;
};

} // namespace latchkey::caches

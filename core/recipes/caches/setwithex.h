#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the value and its lifetime with one command, atomically.
///
///     write   SET key value PX milliseconds     or EX seconds; with NX on request: only if absent
///     read    GET key                           a miss if absent or expired
///
/// SET replaces any previous content, including a value of another type.
class SetWithExCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `lifetime`: whole seconds if the unit is Seconds.
    SetWithExCache(base::Key key, base::Lease lifetime, LifetimeUnit unit, bool onlyIfAbsent);

    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    [[nodiscard]] resp::Command command(const QByteArray &value) const;

    const base::Key m_key;
    const base::Lease m_lifetime;
    const LifetimeUnit m_unit;
    const bool m_onlyIfAbsent;
};

} // namespace latchkey::caches

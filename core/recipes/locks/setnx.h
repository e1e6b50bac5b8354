#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// The basic lock in its historical form, before SET had options.
///
///     acquire   SETNX key value       1 for exactly one of many clients, 0 for the others
///     release   DEL key
///
/// The lock has no lease. If its holder dies, the key remains until a person deletes it.
class SetnxLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    SetnxLock(base::Key key, QByteArray value);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
};

} // namespace latchkey::locks

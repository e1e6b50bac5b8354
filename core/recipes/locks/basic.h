#pragma once

#include "core/recipes/locks/recipe.h"

namespace latchkey::locks {

/// The basic lock: the lock is held while its key exists.
///
///     acquire   SET key value NX      exactly one of many clients gets OK
///     release   DEL key
///
/// The lock has no lease. If its holder dies, the key remains until a person deletes it.
class BasicLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    BasicLock(base::Key key, QByteArray value);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
};

} // namespace latchkey::locks

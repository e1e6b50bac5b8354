#pragma once

#include "core/locks/recipe.h"

namespace latchkey::locks {

/// The basic lock: a key that exists is a lock that is held.
///
///     acquire   SET key value NX      exactly one of many clients is told OK
///     release   DEL key
///
/// It has no lease: if its holder dies, it stays locked until somebody deletes it by hand.
class BasicLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    BasicLock(base::Key key, QByteArray value);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;

private:
    const base::Key m_key;
    const QByteArray m_value;
};

} // namespace latchkey::locks

#pragma once

#include "core/locks/recipe.h"
#include "core/locks/tokenhold.h"

namespace latchkey::locks {

/// The lock that only its holder can release: its value is a token that nobody else knows.
///
///     acquire   SET key token NX PX milliseconds
///     release   one script: GET, compare, DEL
///     extend    one script: GET, compare, PEXPIRE
///
/// The token is random and fresh for every attempt, or the user's own password. The pattern is the one that the Redis
/// documentation of SET describes.
class TokenLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// password: used as the token of every attempt instead of a random one. form: see CompareForm.
    TokenLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {},
              CompareForm form = CompareForm::Script);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

private:
    TokenHold m_hold;
};

} // namespace latchkey::locks

#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

namespace latchkey::locks {

/// A lock that only its holder can release: its value is a secret token.
///
///     acquire   SET key token NX PX milliseconds
///     release   one script: GET, compare, DEL
///     extend    one script: GET, compare, PEXPIRE
///
/// The token is random and new for every attempt, or the user's own password. The Redis documentation of SET describes
/// this pattern.
class TokenLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// `password`: token of every attempt; default: a random token. `form`: see CompareForm.
    TokenLock(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password = {},
              CompareForm form = CompareForm::Script);

    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

private:
    TokenHold m_hold;
};

} // namespace latchkey::locks

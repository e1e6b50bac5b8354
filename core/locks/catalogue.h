#pragma once

#include "core/locks/recipe.h"

#include <span>

namespace latchkey::locks {

/// All lock recipes, in the order of teaching.
[[nodiscard]] std::span<const Recipe> recipes();

/// The recipe of that id, or an error (Usage) that lists the ids there are.
[[nodiscard]] base::Result<const Recipe *> findRecipe(QStringView id);

/// The lease of a lock whose user names none: 30 s.
[[nodiscard]] base::Lease usualLease();

/// The recipe applied to a key, or an error (Usage): an option that it has no use for, a lease that does not fit the
/// unit, an empty token.
[[nodiscard]] base::Result<std::unique_ptr<Lock>> makeLock(const Recipe &recipe, LockOptions options);

/// Whether the recipe can release with this token: one that has tokens needs one. Error: Usage.
[[nodiscard]] base::Result<void> checkReleaseToken(const Recipe &recipe, const std::optional<base::OwnerToken> &token);

} // namespace latchkey::locks

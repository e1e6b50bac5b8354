#pragma once

#include "core/recipes/locks/recipe.h"

#include <span>

namespace latchkey::locks {

/// Returns all lock recipes, in teaching order.
[[nodiscard]] std::span<const Recipe> recipes();

/// Returns the recipe with this id. Error (Usage): unknown id; the error lists the valid ids.
[[nodiscard]] base::Result<const Recipe *> findRecipe(QStringView id);

/// Returns the promises about server faults. The race finder checks them only on request.
[[nodiscard]] std::span<const Promise> serverFaultPromises();

/// Returns the default lease: 30 s.
[[nodiscard]] base::Lease defaultLease();

/// Creates the recipe's lock for a key. Error (Usage): an option that the recipe does not support, a lease that does
/// not fit the unit, an empty token.
[[nodiscard]] base::Result<std::unique_ptr<Lock>> makeLock(const Recipe &recipe, LockOptions options);

/// Checks whether the recipe can release with this token. A recipe with tokens requires one, and any other recipe
/// accepts none. Error: Usage.
[[nodiscard]] base::Result<void> checkReleaseToken(const Recipe &recipe, const std::optional<base::OwnerToken> &token);

} // namespace latchkey::locks

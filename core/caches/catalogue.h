#pragma once

#include "core/caches/guarded.h"
#include "core/caches/recipe.h"

#include <span>

namespace latchkey::caches {

/// All cache recipes, in the order of teaching.
[[nodiscard]] std::span<const Recipe> recipes();

/// The recipe of that id, or an error (Usage) that lists the ids there are.
[[nodiscard]] base::Result<const Recipe *> findRecipe(QStringView id);

/// The recipe applied to a key, or an error (Usage): an option that it has no use for, a lifetime that does not fit
/// the unit, a negative wait.
[[nodiscard]] base::Result<std::unique_ptr<Cache>> makeCache(const Recipe &recipe, CacheOptions options);

/// The recipe `guarded` with all that it can do. Errors as makeCache().
[[nodiscard]] base::Result<std::unique_ptr<GuardedCache>> makeGuarded(CacheOptions options);

} // namespace latchkey::caches

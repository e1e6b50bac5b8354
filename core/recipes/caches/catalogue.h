#pragma once

#include "core/recipes/caches/guarded.h"
#include "core/recipes/caches/recipe.h"

#include <span>

namespace latchkey::caches {

/// Returns all cache recipes, in teaching order.
[[nodiscard]] std::span<const Recipe> recipes();

/// Returns the recipe with this id. Error (Usage): unknown id; the error lists the valid ids.
[[nodiscard]] base::Result<const Recipe *> findRecipe(QStringView id);

/// Returns the recipes of locks and of caches, in this order.
[[nodiscard]] std::span<const catalogue::Recipe *const> allRecipes();

/// Returns the lock or cache recipe with this id. Error (Usage): unknown id; the error lists the valid ids.
[[nodiscard]] base::Result<const catalogue::Recipe *> findInAll(QStringView id);

/// Creates the recipe's cache for a key. Error (Usage): an option that the recipe does not support, a lifetime that
/// does not fit the unit, a negative wait.
[[nodiscard]] base::Result<std::unique_ptr<Cache>> makeCache(const Recipe &recipe, CacheOptions options);

/// Creates the cache of the recipe `guarded`, with its full interface. Errors as makeCache().
[[nodiscard]] base::Result<std::unique_ptr<GuardedCache>> makeGuarded(CacheOptions options);

} // namespace latchkey::caches

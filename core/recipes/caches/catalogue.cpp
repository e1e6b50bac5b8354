#include "core/recipes/caches/catalogue.h"

#include "core/foundation/base/duration.h"
#include "core/recipes/caches/hashhsetex.h"
#include "core/recipes/caches/hashlua.h"
#include "core/recipes/caches/hashmulti.h"
#include "core/recipes/caches/hashplaceholder.h"
#include "core/recipes/caches/hashthenexpire.h"
#include "core/recipes/caches/setex.h"
#include "core/recipes/caches/setthenexpire.h"
#include "core/recipes/caches/setwithex.h"
#include "core/recipes/locks/catalogue.h"

namespace latchkey::caches {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

/// Returns the options with defaults filled in. Error (Usage): the recipe does not support one of them.
Result<CacheOptions> completed(const Recipe &recipe, CacheOptions options)
{
    if (options.unit && !recipe.hasUnit)
        return unsupported(recipe,
                           recipe.needsWholeSeconds
                               ? base::Text(QT_TRANSLATE_NOOP("core", "a unit: its lifetimes travel in seconds"))
                               : base::Text(QT_TRANSLATE_NOOP("core", "a unit: its lifetimes travel in milliseconds")));
    if (options.onlyIfAbsent && !recipe.canWriteIfAbsent)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "writing only if the key is absent")));
    if (options.guard && !recipe.isGuarded)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a guard")));
    if (options.guard && options.guard->wait < 0ms)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a wait cannot be negative"));

    if (!options.lifetime)
        options.lifetime = Lease::of(30s).value();
    if (recipe.hasUnit && !options.unit)
        options.unit = LifetimeUnit::Milliseconds;
    if (recipe.isGuarded && !options.guard)
        options.guard = GuardOptions();
    const bool inSeconds = recipe.needsWholeSeconds || options.unit == LifetimeUnit::Seconds;
    if (inSeconds && options.lifetime->duration() % 1s != 0ms)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "a lifetime of %1 is not whole seconds, in which %2 counts"),
                       base::formatDuration(options.lifetime->duration()),
                       recipe.hasUnit ? base::Text(QT_TRANSLATE_NOOP("core", "the unit s")) : base::Text(recipe.id));
    return options;
}

} // namespace

std::span<const Recipe> recipes()
{
    static const std::vector<Recipe> all {
        SetThenExpireCache::recipe(),  SetWithExCache::recipe(),       SetexCache::recipe(),
        HashThenExpireCache::recipe(), HashLuaCache::recipe(),         HashMultiCache::recipe(),
        HashHsetexCache::recipe(),     HashPlaceholderCache::recipe(), GuardedCache::recipe(),
    };
    return all;
}

Result<const Recipe *> findRecipe(QStringView id)
{
    return catalogue::findRecipe(recipes(), id);
}

std::span<const catalogue::Recipe *const> allRecipes()
{
    static const auto all = [] {
        std::vector<const catalogue::Recipe *> both;
        for (const locks::Recipe &recipe : locks::recipes())
            both.push_back(&recipe);
        for (const Recipe &recipe : recipes())
            both.push_back(&recipe);
        return both;
    }();
    return all;
}

Result<const catalogue::Recipe *> findInAll(QStringView id)
{
    QStringList ids;
    for (const catalogue::Recipe *recipe : allRecipes()) {
        if (recipe->id == id)
            return recipe;
        ids += recipe->id;
    }
    return catalogue::unknownRecipe(id, ids);
}

Result<std::unique_ptr<Cache>> makeCache(const Recipe &recipe, CacheOptions options)
{
    auto complete = completed(recipe, std::move(options));
    if (!complete)
        return failure(std::move(complete.error()));
    return recipe.make(*complete);
}

Result<std::unique_ptr<GuardedCache>> makeGuarded(CacheOptions options)
{
    auto complete = completed(GuardedCache::recipe(), std::move(options));
    if (!complete)
        return failure(std::move(complete.error()));
    return std::make_unique<GuardedCache>(complete->key, *complete->lifetime, *complete->guard);
}

} // namespace latchkey::caches

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

#include <QStringList>

namespace latchkey::caches {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

tl::unexpected<base::Error> noUse(const Recipe &recipe, const base::Text &option)
{
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the recipe %1 does not accept %2"), recipe.id, option);
}

/// Returns the options with defaults filled in. Error (Usage): the recipe does not support one of them.
Result<CacheOptions> completed(const Recipe &recipe, CacheOptions options)
{
    if (options.unit && !recipe.hasUnit)
        return noUse(recipe,
                     recipe.needsWholeSeconds
                         ? base::Text(QT_TRANSLATE_NOOP("core", "a unit: its lifetimes travel in seconds"))
                         : base::Text(QT_TRANSLATE_NOOP("core", "a unit: its lifetimes travel in milliseconds")));
    if (options.onlyIfAbsent && !recipe.canWriteIfAbsent)
        return noUse(recipe, base::Text(QT_TRANSLATE_NOOP("core", "writing only if the key is absent")));
    if (options.guard && !recipe.isGuarded)
        return noUse(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a guard")));
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

QString promiseId(Promise promise)
{
    switch (promise) {
    case Promise::NoImmortalData:
        return QStringLiteral("no-immortal-data");
    case Promise::NoImmortalKey:
        return QStringLiteral("no-immortal-key");
    case Promise::ForeignKeySafe:
        return QStringLiteral("foreign-key-safe");
    case Promise::NoTornRead:
        return QStringLiteral("no-torn-read");
    case Promise::OneRecompute:
        return QStringLiteral("one-recompute");
    }
    Q_UNREACHABLE();
}

std::span<const Recipe> recipes()
{
    static const std::vector<Recipe> catalogue {
        SetThenExpireCache::recipe(),  SetWithExCache::recipe(),       SetexCache::recipe(),
        HashThenExpireCache::recipe(), HashLuaCache::recipe(),         HashMultiCache::recipe(),
        HashHsetexCache::recipe(),     HashPlaceholderCache::recipe(), GuardedCache::recipe(),
    };
    return catalogue;
}

Result<const Recipe *> findRecipe(QStringView id)
{
    QStringList ids;
    for (const Recipe &recipe : recipes()) {
        if (recipe.id == id)
            return &recipe;
        ids += recipe.id;
    }
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "unknown recipe \"%1\"; there are %2"), id.toString(),
                   ids.join(QStringLiteral(", ")));
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

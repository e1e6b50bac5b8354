#include "core/caches/catalogue.h"

#include "core/base/duration.h"
#include "core/caches/hashlua.h"
#include "core/caches/hashmulti.h"
#include "core/caches/hashplaceholder.h"
#include "core/caches/hashthenexpire.h"
#include "core/caches/setex.h"
#include "core/caches/setthenexpire.h"
#include "core/caches/setwithex.h"

#include <QStringList>

namespace latchkey::caches {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

// makeCache() has filled in what a recipe needs before it calls these.

std::unique_ptr<Cache> makeSetThenExpire(const CacheOptions &options)
{
    return std::make_unique<SetThenExpireCache>(options.key, *options.lifetime, *options.unit);
}

std::unique_ptr<Cache> makeSetWithEx(const CacheOptions &options)
{
    return std::make_unique<SetWithExCache>(options.key, *options.lifetime, *options.unit, options.onlyIfAbsent);
}

std::unique_ptr<Cache> makeSetex(const CacheOptions &options)
{
    return std::make_unique<SetexCache>(options.key, *options.lifetime, *options.unit);
}

std::unique_ptr<Cache> makeHashThenExpire(const CacheOptions &options)
{
    return std::make_unique<HashThenExpireCache>(options.key, *options.lifetime);
}

std::unique_ptr<Cache> makeHashLua(const CacheOptions &options)
{
    return std::make_unique<HashLuaCache>(options.key, *options.lifetime);
}

std::unique_ptr<Cache> makeHashMulti(const CacheOptions &options)
{
    return std::make_unique<HashMultiCache>(options.key, *options.lifetime);
}

std::unique_ptr<Cache> makeHashPlaceholder(const CacheOptions &options)
{
    return std::make_unique<HashPlaceholderCache>(options.key, *options.lifetime);
}

std::unique_ptr<GuardedCache> makeGuardedCache(const CacheOptions &options)
{
    return std::make_unique<GuardedCache>(options.key, *options.lifetime, *options.guard);
}

std::unique_ptr<Cache> makeGuardedAsCache(const CacheOptions &options)
{
    return makeGuardedCache(options);
}

std::vector<Recipe> buildCatalogue()
{
    std::vector<Recipe> all;

    Recipe setThenExpire;
    setThenExpire.id = QStringLiteral("set-then-expire");
    setThenExpire.title = QStringLiteral("Value, then its lifetime");
    setThenExpire.summary = QStringLiteral("SET, then EXPIRE or PEXPIRE: two commands for what should be one.");
    setThenExpire.flaw = QStringLiteral("A client that dies between the two leaves a value that never expires.");
    setThenExpire.promises = {Promise::NoTornRead};
    setThenExpire.hasUnit = true;
    setThenExpire.make = makeSetThenExpire;
    all.push_back(setThenExpire);

    Recipe setEx;
    setEx.id = QStringLiteral("set-ex");
    setEx.title = QStringLiteral("Value with its lifetime");
    setEx.summary = QStringLiteral("SET with EX or PX: value and lifetime are set together or not at all.");
    setEx.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    setEx.hasUnit = true;
    setEx.canWriteIfAbsent = true;
    setEx.make = makeSetWithEx;
    all.push_back(setEx);

    Recipe setex;
    setex.id = QStringLiteral("setex");
    setex.title = QStringLiteral("Value with its lifetime, the older way");
    setex.summary = QStringLiteral("SETEX or PSETEX: value and lifetime in one command, before SET had options.");
    setex.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    setex.hasUnit = true;
    setex.make = makeSetex;
    all.push_back(setex);

    Recipe hashThenExpire;
    hashThenExpire.id = QStringLiteral("hash-then-expire");
    hashThenExpire.title = QStringLiteral("Hash, then its lifetime");
    hashThenExpire.summary = QStringLiteral("HSET, then EXPIRE: hashes have no one command for both.");
    hashThenExpire.flaw = QStringLiteral("A client that dies between the two leaves fields that never expire.");
    hashThenExpire.promises = {Promise::ForeignKeySafe, Promise::NoTornRead};
    hashThenExpire.holdsFields = true;
    hashThenExpire.needsWholeSeconds = true;
    hashThenExpire.make = makeHashThenExpire;
    all.push_back(hashThenExpire);

    Recipe hashLua;
    hashLua.id = QStringLiteral("hash-lua");
    hashLua.title = QStringLiteral("Hash with its lifetime, by script");
    hashLua.summary =
        QStringLiteral("One script does HSET and PEXPIRE; on a key of another type it fails and changes nothing.");
    hashLua.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::ForeignKeySafe, Promise::NoTornRead};
    hashLua.holdsFields = true;
    hashLua.make = makeHashLua;
    all.push_back(hashLua);

    Recipe hashMulti;
    hashMulti.id = QStringLiteral("hash-multi");
    hashMulti.title = QStringLiteral("Hash with its lifetime, as a transaction");
    hashMulti.summary = QStringLiteral("MULTI, HSET, PEXPIRE, EXEC: all of it or nothing, whoever dies on the way.");
    hashMulti.flaw = QStringLiteral(
        "EXEC does not stop at a command of the wrong type: PEXPIRE then changes the lifetime of somebody else's key.");
    hashMulti.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    hashMulti.holdsFields = true;
    hashMulti.make = makeHashMulti;
    all.push_back(hashMulti);

    Recipe hashPlaceholder;
    hashPlaceholder.id = QStringLiteral("hash-placeholder");
    hashPlaceholder.title = QStringLiteral("Hash with a placeholder first");
    hashPlaceholder.summary =
        QStringLiteral("A placeholder gets the lifetime and the data follows, so that dying half way leaves no data.");
    hashPlaceholder.flaw = QStringLiteral(
        "A key that expires, or that a reader tidies away, between the steps comes back without a lifetime.");
    hashPlaceholder.promises = {Promise::ForeignKeySafe, Promise::NoTornRead};
    hashPlaceholder.holdsFields = true;
    hashPlaceholder.needsWholeSeconds = true;
    hashPlaceholder.make = makeHashPlaceholder;
    all.push_back(hashPlaceholder);

    Recipe guarded;
    guarded.id = QStringLiteral("guarded");
    guarded.title = QStringLiteral("Value with a guarded recomputation");
    guarded.summary = QStringLiteral(
        "After a miss one client takes a token lock and recomputes; the others wait or are served the stale value.");
    guarded.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::ForeignKeySafe, Promise::NoTornRead,
                        Promise::OneRecompute};
    guarded.isGuarded = true;
    guarded.make = makeGuardedAsCache;
    all.push_back(guarded);

    return all;
}

tl::unexpected<base::Error> noUse(const Recipe &recipe, const char *option)
{
    return failure(ErrorKind::Usage,
                   QStringLiteral("the recipe %1 has no use for %2").arg(recipe.id, QLatin1String(option)));
}

/// The options with what the user left open filled in, if the recipe has a use for all of them.
Result<CacheOptions> completed(const Recipe &recipe, CacheOptions options)
{
    if (options.unit && !recipe.hasUnit)
        return noUse(recipe, recipe.needsWholeSeconds ? "a unit: its lifetimes travel in seconds"
                                                      : "a unit: its lifetimes travel in milliseconds");
    if (options.onlyIfAbsent && !recipe.canWriteIfAbsent)
        return noUse(recipe, "writing only if the key is absent");
    if (options.guard && !recipe.isGuarded)
        return noUse(recipe, "a guard");
    if (options.guard && options.guard->wait < 0ms)
        return failure(ErrorKind::Usage, QStringLiteral("a wait cannot be negative"));

    if (!options.lifetime)
        options.lifetime = Lease::of(30s).value();
    if (recipe.hasUnit && !options.unit)
        options.unit = LifetimeUnit::Milliseconds;
    if (recipe.isGuarded && !options.guard)
        options.guard = GuardOptions();
    const bool inSeconds = recipe.needsWholeSeconds || options.unit == LifetimeUnit::Seconds;
    if (inSeconds && options.lifetime->duration() % 1s != 0ms)
        return failure(ErrorKind::Usage, QStringLiteral("a lifetime of %1 is not whole seconds, in which %2 counts")
                                             .arg(base::formatDuration(options.lifetime->duration()),
                                                  recipe.hasUnit ? QStringLiteral("the unit s") : recipe.id));
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
    static const std::vector<Recipe> catalogue = buildCatalogue();
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
    return failure(
        ErrorKind::Usage,
        QStringLiteral("unknown recipe \"%1\"; there are %2").arg(id.toString(), ids.join(QStringLiteral(", "))));
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
    auto complete = completed(*findRecipe(u"guarded").value(), std::move(options));
    if (!complete)
        return failure(std::move(complete.error()));
    return makeGuardedCache(*complete);
}

} // namespace latchkey::caches

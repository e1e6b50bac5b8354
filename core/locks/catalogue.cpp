#include "core/locks/catalogue.h"

#include "core/base/duration.h"
#include "core/locks/basic.h"
#include "core/locks/token.h"

#include <QStringList>

namespace latchkey::locks {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

// makeLock() has filled in what a recipe needs before it calls these.

std::unique_ptr<Lock> makeBasic(const LockOptions &options)
{
    return std::make_unique<BasicLock>(options.key, *options.value);
}

std::unique_ptr<Lock> makeAutoRelease(const LockOptions &options)
{
    return std::make_unique<AutoReleaseLock>(options.key, *options.value, *options.lease, *options.unit);
}

std::unique_ptr<Lock> makeToken(const LockOptions &options)
{
    return std::make_unique<TokenLock>(options.key, *options.lease, options.token);
}

std::vector<Recipe> buildCatalogue()
{
    std::vector<Recipe> all;

    Recipe basic;
    basic.id = QStringLiteral("basic");
    basic.title = QStringLiteral("Basic lock");
    basic.summary = QStringLiteral("SET with NX: exactly one client wins, and DEL frees the lock.");
    basic.flaw = QStringLiteral("A holder that dies keeps the lock for ever.");
    basic.promises = {Promise::MutualExclusion, Promise::OwnerOnlyRelease, Promise::ContenderNeutral,
                      Promise::ClockFree};
    basic.make = makeBasic;
    all.push_back(basic);

    Recipe autoRelease;
    autoRelease.id = QStringLiteral("auto-release");
    autoRelease.title = QStringLiteral("Lock with automatic release");
    autoRelease.summary =
        QStringLiteral("SET with NX and an expiry: the server frees the lock when the lease runs out.");
    autoRelease.flaw = QStringLiteral("A holder that outlives its lease deletes whatever lock stands there by then.");
    autoRelease.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ContenderNeutral,
                            Promise::ClockFree};
    autoRelease.hasLease = true;
    autoRelease.hasUnit = true;
    autoRelease.make = makeAutoRelease;
    all.push_back(autoRelease);

    Recipe token;
    token.id = QStringLiteral("token");
    token.title = QStringLiteral("Password-protected lock");
    token.summary =
        QStringLiteral("The value is a secret token; one script compares it and deletes, so only the holder releases.");
    token.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::OwnerOnlyRelease,
                      Promise::ContenderNeutral, Promise::ClockFree};
    token.hasLease = true;
    token.hasToken = true;
    token.canExtend = true;
    token.make = makeToken;
    all.push_back(token);

    return all;
}

tl::unexpected<base::Error> noUse(const Recipe &recipe, const char *option)
{
    return failure(ErrorKind::Usage,
                   QStringLiteral("the recipe %1 has no use for %2").arg(recipe.id, QLatin1String(option)));
}

} // namespace

QString promiseId(Promise promise)
{
    switch (promise) {
    case Promise::MutualExclusion:
        return QStringLiteral("mutual-exclusion");
    case Promise::CrashRelease:
        return QStringLiteral("crash-release");
    case Promise::OwnerOnlyRelease:
        return QStringLiteral("owner-only-release");
    case Promise::ContenderNeutral:
        return QStringLiteral("contender-neutral");
    case Promise::ClockFree:
        return QStringLiteral("clock-free");
    case Promise::Fenced:
        return QStringLiteral("fenced");
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

Result<std::unique_ptr<Lock>> makeLock(const Recipe &recipe, LockOptions options)
{
    if (options.lease && !recipe.hasLease)
        return noUse(recipe, "a lease: its locks do not expire");
    if (options.unit && !recipe.hasUnit)
        return noUse(recipe, "a unit");
    if (options.token && !recipe.hasToken)
        return noUse(recipe, "a token");
    if (options.value && recipe.hasToken)
        return noUse(recipe, "a value: its locks hold a token");
    if (options.token && options.token->isEmpty())
        return failure(ErrorKind::Usage, QStringLiteral("an empty token protects nothing"));

    if (recipe.hasLease && !options.lease)
        options.lease = Lease::of(30s).value();
    if (!recipe.hasToken && !options.value)
        options.value = QByteArrayLiteral("locking");
    if (recipe.hasUnit && !options.unit)
        options.unit = LeaseUnit::Milliseconds;
    if (options.unit == LeaseUnit::Seconds && options.lease->duration() % 1s != 0ms)
        return failure(ErrorKind::Usage, QStringLiteral("a lease of %1 is not whole seconds; use the unit ms")
                                             .arg(base::formatDuration(options.lease->duration())));
    return recipe.make(options);
}

Result<void> checkReleaseToken(const Recipe &recipe, const std::optional<base::OwnerToken> &token)
{
    if (recipe.hasToken && !token)
        return failure(ErrorKind::Usage,
                       QStringLiteral("the recipe %1 releases only with the token that acquire gave").arg(recipe.id));
    if (!recipe.hasToken && token)
        return noUse(recipe, "a token");
    return {};
}

} // namespace latchkey::locks

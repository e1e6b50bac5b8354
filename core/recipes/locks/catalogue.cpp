#include "core/recipes/locks/catalogue.h"

#include "core/foundation/base/duration.h"
#include "core/recipes/locks/autorelease.h"
#include "core/recipes/locks/basic.h"
#include "core/recipes/locks/fenced.h"
#include "core/recipes/locks/luasetnxexpire.h"
#include "core/recipes/locks/multisetnxexpire.h"
#include "core/recipes/locks/redlock.h"
#include "core/recipes/locks/renewing.h"
#include "core/recipes/locks/setnx.h"
#include "core/recipes/locks/setnxthenexpire.h"
#include "core/recipes/locks/timestampgetset.h"
#include "core/recipes/locks/timestampnaive.h"
#include "core/recipes/locks/token.h"
#include "core/recipes/locks/tokencheckthendelete.h"
#include "core/recipes/locks/tokenwait.h"
#include "core/recipes/locks/tokenwatch.h"

#include <array>

namespace latchkey::locks {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

bool isWholeSeconds(Lease lease)
{
    return lease.duration() % 1s == 0ms;
}

} // namespace

std::span<const Promise> serverFaultPromises()
{
    static constexpr std::array promises {Promise::FailoverSafe, Promise::RestartSafe, Promise::ServerClockSafe,
                                          Promise::PartitionSafe};
    return promises;
}

std::span<const Recipe> recipes()
{
    static const std::vector<Recipe> all {
        BasicLock::recipe(),
        SetnxLock::recipe(),
        AutoReleaseLock::recipe(),
        SetnxThenExpireLock::recipe(),
        MultiSetnxExpireLock::recipe(),
        LuaSetnxExpireLock::recipe(),
        TimestampNaiveLock::recipe(),
        TimestampGetsetLock::recipe(),
        TokenCheckThenDeleteLock::recipe(),
        TokenLock::recipe(),
        TokenWatchLock::recipe(),
        TokenWaitLock::recipe(),
        FencedLock::recipe(),
        RenewingLock::recipe(),
        RedlockLock::recipe(),
    };
    return all;
}

Result<const Recipe *> findRecipe(QStringView id)
{
    return catalogue::findRecipe(recipes(), id);
}

namespace {

/// Checks that the recipe supports all given options.
Result<void> checkUse(const Recipe &recipe, const LockOptions &options)
{
    if (options.lease && !recipe.hasLease)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a lease: its locks do not expire")));
    if (options.unit && !recipe.hasUnit)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a unit")));
    if (options.servers != 1 && !recipe.hasManyServers)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "more than one server")));
    if (options.token && recipe.value == LockValue::Deadline)
        return unsupported(recipe,
                           base::Text(QT_TRANSLATE_NOOP("core", "a token of your own: its locks hold their deadline")));
    if (options.token && recipe.value != LockValue::Token)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a token")));
    if (options.value && recipe.value == LockValue::Token)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a value: its locks hold a token")));
    if (options.value && recipe.value == LockValue::Deadline)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a value: its locks hold their deadline")));
    if (options.token && options.token->isEmpty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "an empty token protects nothing"));
    return {};
}

} // namespace

Lease defaultLease()
{
    return Lease::of(30s).value();
}

Result<std::unique_ptr<Lock>> makeLock(const Recipe &recipe, LockOptions options)
{
    if (auto use = checkUse(recipe, options); !use)
        return failure(std::move(use.error()));
    if (recipe.hasLease && !options.lease)
        options.lease = defaultLease();
    if (recipe.value == LockValue::Constant && !options.value)
        options.value = QByteArrayLiteral("locking");
    if (recipe.hasUnit && !options.unit)
        options.unit = LeaseUnit::Milliseconds;
    if (recipe.needsWholeSeconds && !isWholeSeconds(*options.lease))
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a lease of %1 is not whole seconds"),
                       base::formatDuration(options.lease->duration()));
    if (options.unit == LeaseUnit::Seconds && !isWholeSeconds(*options.lease))
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "a lease of %1 is not whole seconds; use the unit ms"),
                       base::formatDuration(options.lease->duration()));
    return recipe.make(options);
}

Result<void> checkReleaseToken(const Recipe &recipe, const std::optional<base::OwnerToken> &token)
{
    if (recipe.hasToken && !token)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the recipe %1 needs the token that acquire gave"),
                       recipe.id);
    if (!recipe.hasToken && token)
        return unsupported(recipe, base::Text(QT_TRANSLATE_NOOP("core", "a token")));
    return {};
}

} // namespace latchkey::locks

#include "core/locks/catalogue.h"

#include "core/base/duration.h"
#include "core/locks/basic.h"
#include "core/locks/fenced.h"
#include "core/locks/luasetnxexpire.h"
#include "core/locks/multisetnxexpire.h"
#include "core/locks/redlock.h"
#include "core/locks/renewing.h"
#include "core/locks/setnx.h"
#include "core/locks/setnxthenexpire.h"
#include "core/locks/timestampgetset.h"
#include "core/locks/timestampnaive.h"
#include "core/locks/token.h"
#include "core/locks/tokencheckthendelete.h"
#include "core/locks/tokenwatch.h"

#include <QStringList>

namespace latchkey::locks {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

// makeLock() has filled in what a recipe needs before it calls these.

template<typename ValueLock>
std::unique_ptr<Lock> makeWithValue(const LockOptions &options)
{
    return std::make_unique<ValueLock>(options.key, *options.value);
}

template<typename LeasedLock>
std::unique_ptr<Lock> makeWithValueAndLease(const LockOptions &options)
{
    return std::make_unique<LeasedLock>(options.key, *options.value, *options.lease);
}

template<typename TimestampLock>
std::unique_ptr<Lock> makeWithLease(const LockOptions &options)
{
    return std::make_unique<TimestampLock>(options.key, *options.lease);
}

template<typename LockWithToken>
std::unique_ptr<Lock> makeWithToken(const LockOptions &options)
{
    return std::make_unique<LockWithToken>(options.key, *options.lease, options.token);
}

std::unique_ptr<Lock> makeAutoRelease(const LockOptions &options)
{
    return std::make_unique<AutoReleaseLock>(options.key, *options.value, *options.lease, *options.unit);
}

std::unique_ptr<Lock> makeTokenCheckThenDelete(const LockOptions &options)
{
    return std::make_unique<TokenCheckThenDeleteLock>(options.key, *options.lease, *options.unit, options.token);
}

std::unique_ptr<Lock> makeRenewing(const LockOptions &options)
{
    return std::make_unique<RenewingLock>(makeWithToken<TokenLock>(options), *options.lease);
}

std::unique_ptr<Lock> makeRedlock(const LockOptions &options)
{
    return std::make_unique<RedlockLock>(options.key, *options.lease, options.servers, options.token);
}

Recipe basic()
{
    Recipe recipe;
    recipe.id = QStringLiteral("basic");
    recipe.title = QStringLiteral("Basic lock");
    recipe.summary = QStringLiteral("SET with NX: exactly one client wins, and DEL frees the lock.");
    recipe.flaw = QStringLiteral("A holder that dies keeps the lock for ever.");
    recipe.promises = {Promise::MutualExclusion, Promise::OwnerOnlyRelease, Promise::ContenderNeutral,
                       Promise::ClockFree};
    recipe.make = makeWithValue<BasicLock>;
    return recipe;
}

Recipe setnx()
{
    Recipe recipe = basic();
    recipe.id = QStringLiteral("setnx");
    recipe.title = QStringLiteral("Basic lock, historical form");
    recipe.summary = QStringLiteral("SETNX: the basic lock from before SET had options.");
    recipe.make = makeWithValue<SetnxLock>;
    return recipe;
}

Recipe autoRelease()
{
    Recipe recipe;
    recipe.id = QStringLiteral("auto-release");
    recipe.title = QStringLiteral("Lock with automatic release");
    recipe.summary = QStringLiteral("SET with NX and an expiry: the server frees the lock when the lease runs out.");
    recipe.flaw = QStringLiteral("A holder that outlives its lease deletes whatever lock stands there by then.");
    recipe.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ContenderNeutral, Promise::ClockFree};
    recipe.hasLease = true;
    recipe.hasUnit = true;
    recipe.make = makeAutoRelease;
    return recipe;
}

Recipe setnxThenExpire()
{
    Recipe recipe;
    recipe.id = QStringLiteral("setnx-then-expire");
    recipe.title = QStringLiteral("SETNX, then EXPIRE");
    recipe.summary = QStringLiteral("Two commands: the first makes the lock, the second gives it its lease.");
    recipe.flaw = QStringLiteral("A client that dies between the two leaves a lock for ever.");
    recipe.promises = {Promise::MutualExclusion, Promise::ContenderNeutral, Promise::ClockFree};
    recipe.hasLease = true;
    recipe.make = makeWithValueAndLease<SetnxThenExpireLock>;
    return recipe;
}

Recipe multiSetnxExpire()
{
    Recipe recipe;
    recipe.id = QStringLiteral("multi-setnx-expire");
    recipe.title = QStringLiteral("SETNX and EXPIRE in a transaction");
    recipe.summary = QStringLiteral("MULTI, SETNX, EXPIRE, EXEC: lock and lease together, whoever dies.");
    recipe.flaw =
        QStringLiteral("Every losing client refreshes the winner's lease: while anyone keeps retrying, a dead "
                       "holder's lock does not end.");
    recipe.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ClockFree};
    recipe.hasLease = true;
    recipe.writesWhenBusy = true;
    recipe.make = makeWithValueAndLease<MultiSetnxExpireLock>;
    return recipe;
}

Recipe luaSetnxExpire()
{
    Recipe recipe;
    recipe.id = QStringLiteral("lua-setnx-expire");
    recipe.title = QStringLiteral("SETNX and EXPIRE in a script");
    recipe.summary = QStringLiteral("One script: SETNX, and the expiry only if it won; before Redis 2.6.12 the way to "
                                    "give a lock its lease.");
    recipe.flaw = autoRelease().flaw;
    recipe.promises = autoRelease().promises;
    recipe.hasLease = true;
    recipe.make = makeWithValueAndLease<LuaSetnxExpireLock>;
    return recipe;
}

Recipe timestampNaive()
{
    Recipe recipe;
    recipe.id = QStringLiteral("timestamp-naive");
    recipe.title = QStringLiteral("Deadline in the value, naive");
    recipe.summary = QStringLiteral("The lock holds its deadline; whoever sees a past one deletes the lock and tries "
                                    "again.");
    recipe.flaw = QStringLiteral("Two clients can see the same past deadline; the second then deletes the first one's "
                                 "new lock, and both are inside.");
    recipe.promises = {Promise::CrashRelease};
    recipe.value = LockValue::Deadline;
    recipe.hasLease = true;
    recipe.wholeSeconds = true;
    recipe.make = makeWithLease<TimestampNaiveLock>;
    return recipe;
}

Recipe timestampGetset()
{
    Recipe recipe;
    recipe.id = QStringLiteral("timestamp-getset");
    recipe.title = QStringLiteral("Deadline in the value, with GETSET");
    recipe.summary = QStringLiteral("The lock holds its deadline; GETSET tells which of those that saw a past one was "
                                    "first.");
    recipe.flaw = QStringLiteral("Clients must agree on the time, a loser may push the winner's deadline a little, and "
                                 "a late DEL can still hit another's lock.");
    recipe.promises = {Promise::MutualExclusion, Promise::CrashRelease};
    recipe.value = LockValue::Deadline;
    recipe.hasLease = true;
    recipe.wholeSeconds = true;
    recipe.hasToken = true;
    recipe.make = makeWithLease<TimestampGetsetLock>;
    return recipe;
}

Recipe tokenCheckThenDelete()
{
    Recipe recipe;
    recipe.id = QStringLiteral("token-check-then-delete");
    recipe.title = QStringLiteral("Token, checked and then deleted");
    recipe.summary = QStringLiteral("The value is a token; release reads it, compares, and deletes.");
    recipe.flaw = QStringLiteral("Between the check and the delete the lease can end and the lock change hands.");
    recipe.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::ContenderNeutral, Promise::ClockFree};
    recipe.value = LockValue::Token;
    recipe.hasLease = true;
    recipe.hasUnit = true;
    recipe.hasToken = true;
    recipe.make = makeTokenCheckThenDelete;
    return recipe;
}

Recipe token()
{
    Recipe recipe;
    recipe.id = QStringLiteral("token");
    recipe.title = QStringLiteral("Password-protected lock");
    recipe.summary =
        QStringLiteral("The value is a secret token; one script compares it and deletes, so only the holder releases.");
    recipe.promises = {Promise::MutualExclusion, Promise::CrashRelease, Promise::OwnerOnlyRelease,
                       Promise::ContenderNeutral, Promise::ClockFree};
    recipe.value = LockValue::Token;
    recipe.hasLease = true;
    recipe.hasToken = true;
    recipe.canExtend = true;
    recipe.make = makeWithToken<TokenLock>;
    return recipe;
}

Recipe tokenWatch()
{
    Recipe recipe = token();
    recipe.id = QStringLiteral("token-watch");
    recipe.title = QStringLiteral("Token, released by optimistic locking");
    recipe.summary =
        QStringLiteral("WATCH, GET, MULTI, DEL, EXEC: the delete happens only if nothing has changed since "
                       "the check, without a script.");
    recipe.needsOwnConnection = true;
    recipe.make = makeWithToken<TokenWatchLock>;
    return recipe;
}

Recipe fenced()
{
    Recipe recipe = token();
    recipe.id = QStringLiteral("fenced");
    recipe.title = QStringLiteral("Lock with fencing numbers");
    recipe.summary = QStringLiteral("Each acquisition gets a larger number; a resource that refuses a smaller one than "
                                    "it has seen is safe from a holder that slept past its lease.");
    recipe.promises.push_back(Promise::Fenced);
    recipe.make = makeWithToken<FencedLock>;
    return recipe;
}

Recipe renewing()
{
    Recipe recipe = token();
    recipe.id = QStringLiteral("renewing");
    recipe.title = QStringLiteral("Lock that its holder keeps renewing");
    recipe.summary = QStringLiteral(
        "A token lock extended at a third of its lease while its holder lives: a short lease for long work.");
    recipe.renews = true;
    recipe.make = makeRenewing;
    return recipe;
}

Recipe redlock()
{
    Recipe recipe = token();
    recipe.id = QStringLiteral("redlock");
    recipe.title = QStringLiteral("Redlock, on several servers");
    recipe.summary = QStringLiteral("The token lock on N independent servers, won on a majority: it survives the loss "
                                    "of a minority of them.");
    recipe.hasManyServers = true;
    recipe.make = makeRedlock;
    return recipe;
}

tl::unexpected<base::Error> noUse(const Recipe &recipe, const char *option)
{
    return failure(ErrorKind::Usage,
                   QStringLiteral("the recipe %1 has no use for %2").arg(recipe.id, QLatin1String(option)));
}

bool isWholeSeconds(Lease lease)
{
    return lease.duration() % 1s == 0ms;
}

} // namespace

bool Recipe::hasPromise(Promise promise) const
{
    return std::ranges::find(promises, promise) != promises.end();
}

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
    static const std::vector<Recipe> catalogue {
        basic(),
        setnx(),
        autoRelease(),
        setnxThenExpire(),
        multiSetnxExpire(),
        luaSetnxExpire(),
        timestampNaive(),
        timestampGetset(),
        tokenCheckThenDelete(),
        token(),
        tokenWatch(),
        fenced(),
        renewing(),
        redlock(),
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
    return failure(
        ErrorKind::Usage,
        QStringLiteral("unknown recipe \"%1\"; there are %2").arg(id.toString(), ids.join(QStringLiteral(", "))));
}

namespace {

/// Whether the recipe has a use for everything that is given.
Result<void> checkUse(const Recipe &recipe, const LockOptions &options)
{
    if (options.lease && !recipe.hasLease)
        return noUse(recipe, "a lease: its locks do not expire");
    if (options.unit && !recipe.hasUnit)
        return noUse(recipe, "a unit");
    if (options.servers != 1 && !recipe.hasManyServers)
        return noUse(recipe, "more than one server");
    if (options.token && recipe.value == LockValue::Deadline)
        return noUse(recipe, "a token of your own: its locks hold their deadline");
    if (options.token && recipe.value != LockValue::Token)
        return noUse(recipe, "a token");
    if (options.value && recipe.value == LockValue::Token)
        return noUse(recipe, "a value: its locks hold a token");
    if (options.value && recipe.value == LockValue::Deadline)
        return noUse(recipe, "a value: its locks hold their deadline");
    if (options.token && options.token->isEmpty())
        return failure(ErrorKind::Usage, QStringLiteral("an empty token protects nothing"));
    return {};
}

} // namespace

Result<std::unique_ptr<Lock>> makeLock(const Recipe &recipe, LockOptions options)
{
    if (auto use = checkUse(recipe, options); !use)
        return failure(std::move(use.error()));
    if (recipe.hasLease && !options.lease)
        options.lease = Lease::of(30s).value();
    if (recipe.value == LockValue::Constant && !options.value)
        options.value = QByteArrayLiteral("locking");
    if (recipe.hasUnit && !options.unit)
        options.unit = LeaseUnit::Milliseconds;
    if (recipe.wholeSeconds && !isWholeSeconds(*options.lease))
        return failure(
            ErrorKind::Usage,
            QStringLiteral("a lease of %1 is not whole seconds").arg(base::formatDuration(options.lease->duration())));
    if (options.unit == LeaseUnit::Seconds && !isWholeSeconds(*options.lease))
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

// acquire, release and extend.

#include "app/cli/command.h"
#include "app/cli/forcedrelease.h"
#include "app/cli/lockoperation.h"
#include "app/cli/output.h"
#include "app/cli/stalereplica.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"
#include "core/recipes/locks/foreigntype.h"

#include <cstdio>

namespace latchkey::cli {

using base::ErrorKind;
using help::CommandLine;

namespace {

constexpr auto heldToken = QT_TRANSLATE_NOOP("CommandLine", "the token that acquire printed");

QString outcomeOf(const locks::Acquisition &acquisition)
{
    if (acquisition.isAcquired())
        return QStringLiteral("acquired");
    return acquisition.reason.isEmpty() ? QStringLiteral("busy") : QStringLiteral("unconfirmed");
}

QJsonObject toJson(const LockOperation &operation, const locks::Acquisition &acquisition)
{
    QJsonObject object {
        {QStringLiteral("outcome"), outcomeOf(acquisition)},
        {QStringLiteral("token"), QJsonValue::Null},
        {QStringLiteral("fencing"), acquisition.fencing ? QJsonValue(acquisition.fencing->value) : QJsonValue::Null},
        {QStringLiteral("lease_ms"),
         acquisition.lease ? QJsonValue(static_cast<qint64>(acquisition.lease->duration().count())) : QJsonValue::Null},
        {QStringLiteral("valid_for_ms"), millisecondsUntil(acquisition.validUntil, operation.driver->clock().now())},
    };
    if (operation.recipe->hasToken && !acquisition.token.isEmpty())
        files::insertBytes(object, QStringLiteral("token"), acquisition.token.bytes());
    return object;
}

ExitCode fail(const LockOperation &operation, const base::Error &error, bool wantsJson)
{
    if (base::leavesOutcomeUnknown(error.kind) && wantsJson) {
        const auto possible = possibleAcquisition(operation, error);
        QJsonObject object = possible ? toJson(operation, *possible) : QJsonObject();
        object[QStringLiteral("outcome")] = QStringLiteral("unknown");
        printJson(object);
    }
    return printError(operation, error);
}

ExitCode say(const LockOperation &operation, const Arguments &arguments, const char *outcome, bool isYes,
             const char *explanation)
{
    if (!isYes) {
        if (const auto fresh = refuseStaleAnswer(*operation.driver, operation.options.servers); !fresh)
            return printStale(operation.name, fresh.error(), arguments.wantsJson());
    }
    if (arguments.wantsJson())
        printJson(QJsonObject {{QStringLiteral("outcome"), QLatin1String(outcome)}});
    else if (isYes)
        std::puts(outcome);
    if (!isYes)
        note(operation.name + QLatin1String(": ") + CommandLine::tr(explanation));
    return isYes ? ExitCode::Yes : ExitCode::No;
}

void printText(const LockOperation &operation, const locks::Acquisition &acquisition)
{
    printBytes(operation.recipe->hasToken ? acquisition.token.bytes() : QByteArrayLiteral("acquired"));
    if (acquisition.fencing)
        std::printf(" %lld", acquisition.fencing->value);
    std::putchar('\n');
}

/// Handles a lock if its token could not be written to standard output. The token goes to standard error. If that fails
/// too, the lock is released, because without its token no process could release it.
ExitCode saveToken(const LockOperation &operation, const locks::Acquisition &acquisition)
{
    QString message = operation.name + QLatin1String(": ")
                    + CommandLine::tr("acquired, but standard output cannot be written; the lock stays held");
    if (operation.recipe->hasToken)
        message += operation.token
                     ? CommandLine::tr(", with your token")
                     : CommandLine::tr(", with the token %1").arg(base::printable(acquisition.token.bytes()));
    if (acquisition.fencing)
        message += CommandLine::tr(", with the fencing number %1").arg(acquisition.fencing->value);
    if (!printError(message) && operation.recipe->hasToken && !operation.token)
        (void)operation.driver->run(operation.lock->release(acquisition.token));
    return ExitCode::Error;
}

ExitCode acquire(const Arguments &arguments)
{
    auto operation = prepareForAcquire(arguments, "acquire");
    if (!operation)
        return printError(operation.error());
    const auto wait = waitFrom(arguments);
    if (!wait)
        return printError(wait.error());
    if (const auto independent = refuseDependentServers(*operation); !independent)
        return printError(*operation, independent.error());

    const auto acquisition = operation->driver->run(
        locks::acquireUnlessForeign(*operation->recipe, *operation->lock, operation->key, *wait));
    if (!acquisition)
        return fail(*operation, acquisition.error(), arguments.wantsJson());
    if (!acquisition->isAcquired()) {
        // For SET NX, a key of another type would appear busy forever.
        const auto isLock =
            operation->driver->run(locks::refuseForeignType(operation->key, operation->options.servers));
        if (!isLock && isLock.error().kind == ErrorKind::WrongType)
            return printError(*operation, isLock.error());
        if (const auto fresh = refuseStaleAnswer(*operation->driver, operation->options.servers); !fresh)
            return printError(*operation, fresh.error());
    }
    if (arguments.wantsJson())
        printJson(toJson(*operation, *acquisition));
    else if (acquisition->isAcquired())
        printText(*operation, *acquisition);
    if (acquisition->undecided)
        return printUndecided(*operation, *acquisition->undecided);
    if (!acquisition->isAcquired()) {
        note(operation->name
             + (acquisition->reason.isEmpty() ? CommandLine::tr(": busy")
                                              : QStringLiteral(": ") + acquisition->reason.toString()));
        return ExitCode::No;
    }
    return writeOutput() ? ExitCode::Yes : saveToken(*operation, *acquisition);
}

ExitCode release(const Arguments &arguments)
{
    if (arguments.isSet("force"))
        return releaseByForce(arguments);
    if (arguments.isSet("yes"))
        return printError(base::Error {ErrorKind::Usage, CommandLine::tr("--yes: only with --force")});
    if (arguments.positionalCount() < 2)
        return printError(base::Error {
            ErrorKind::Usage,
            CommandLine::tr("release: too few arguments; expected RECIPE KEY; see latchkey-cli release --help")});
    auto operation = prepareForHeld(arguments, "release");
    if (!operation)
        return printError(operation.error());
    if (operation->recipe->value != locks::LockValue::Token) {
        // Checked first, because the DEL of this recipe would also remove a list.
        if (const auto isLock =
                operation->driver->run(locks::refuseForeignType(operation->key, operation->options.servers));
            !isLock)
            return fail(*operation, isLock.error(), arguments.wantsJson());
    }
    if (const auto connected = connectAndPreferSingleCommand(*operation); !connected)
        return fail(*operation, connected.error(), arguments.wantsJson());
    const auto released =
        operation->driver->run(operation->lock->release(operation->token.value_or(base::OwnerToken())));
    if (!released)
        return fail(*operation, released.error(), arguments.wantsJson());
    switch (*released) {
    case locks::ReleaseOutcome::Released:
        return say(*operation, arguments, "released", true, "");
    case locks::ReleaseOutcome::NotOwner:
        return say(
            *operation, arguments, "not-owner", false,
            operation->recipe->value == locks::LockValue::Deadline
                ? QT_TRANSLATE_NOOP("CommandLine",
                                    "its deadline has passed, so another client may hold the lock; nothing was changed")
                : QT_TRANSLATE_NOOP("CommandLine", "the lock is held with another token; nothing was changed"));
    case locks::ReleaseOutcome::Gone:
        return say(*operation, arguments, "gone", false, QT_TRANSLATE_NOOP("CommandLine", "the lock no longer exists"));
    }
    Q_UNREACHABLE();
}

ExitCode extend(const Arguments &arguments)
{
    auto operation = prepareForHeld(arguments, "extend");
    if (!operation)
        return printError(operation.error());
    if (!operation->recipe->canExtend)
        return printError(base::Error {
            ErrorKind::Usage, CommandLine::tr("the recipe %1 cannot extend a lock").arg(operation->recipe->id)});
    const auto lease = arguments.lease();
    if (!lease)
        return printError(lease.error());
    if (!*lease)
        return printError(base::Error {ErrorKind::Usage, CommandLine::tr("extend needs the new lease: --lease 30s")});
    if (const auto connected = connectAndPreferSingleCommand(*operation); !connected)
        return fail(*operation, connected.error(), arguments.wantsJson());
    const auto extension =
        operation->driver->run(operation->lock->extend(operation->token.value_or(base::OwnerToken()), **lease));
    if (!extension)
        return fail(*operation, extension.error(), arguments.wantsJson());
    switch (extension->outcome) {
    case locks::ExtendOutcome::Extended:
        return say(*operation, arguments, "extended", true, "");
    case locks::ExtendOutcome::NotOwner:
        return say(*operation, arguments, "not-owner", false,
                   QT_TRANSLATE_NOOP("CommandLine", "the lock is held with another token; nothing was changed"));
    case locks::ExtendOutcome::Gone:
        return say(*operation, arguments, "gone", false,
                   QT_TRANSLATE_NOOP("CommandLine", "the lock no longer exists, and none was created"));
    }
    Q_UNREACHABLE();
}

} // namespace

Command acquireCommand()
{
    return {
        "acquire",
        {"RECIPE KEY", 2, 2},
        QT_TRANSLATE_NOOP("CommandLine", "acquires a lock; prints its token"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Acquires the lock KEY by RECIPE (see: latchkey-cli recipes), and prints the token that releases it.

{options}

For redlock, give --url once for each server.

With --json {outcome: "acquired"|"busy"|"unconfirmed"|"unknown", token, fencing, lease_ms, valid_for_ms}. The outcome is unconfirmed if no replica has confirmed the lock, and it was released. If the reply was lost, the outcome is unknown: token and lease_ms are those of the lock that may be held, and standard error reports them too. If standard output cannot be written, the token of an acquired lock is written to standard error; if that fails too, a lock with a new random token is released.
Exit code: 0 acquired, 1 busy or unconfirmed, 2 wrong usage, 3 error or unknown outcome, also if a redlock is busy on some servers and others, which refuse or do not answer, could have completed the majority.

Examples:
  token=$(latchkey-cli acquire token lock:orders --lease 10s --wait 2s)
  latchkey-cli acquire auto-release lock:report --lease 5s --unit s
)help"),
        acquireOptions(CommandLine::tr("lease of the lock; default 30s")),
        acquire,
        RecipeFamily::Locks,
    };
}

Command releaseCommand()
{
    return {
        "release",
        {"RECIPE KEY", 1, 2}, // With --force, KEY is enough.
        QT_TRANSLATE_NOOP("CommandLine", "releases a lock"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Releases the lock KEY by RECIPE. Recipes with tokens release only with the token of acquire.

{options}

A lock is refused by --force if it is not recognised, or if its library does more than delete the key.
With RECIPE, the key counts as a lock.

With --json {outcome: "released"|"not-owner"|"gone"|"unknown"}; unknown also for a replica without a link to its primary, because its keys may be out of date; with --force also "changed" (renewed or changed after it was read), "refused" and "declined".
Exit code: 0 released, 1 not released: not the owner, gone, changed, refused or declined, 2 wrong usage, 3 error or unknown outcome.

Examples:
  latchkey-cli release token lock:orders --token "$token"
  latchkey-cli release lock:orders --force
)help"),
        Arguments::tokenOptions(CommandLine::tr(heldToken)) + forceOptions() + Arguments::keyOptions(),
        release,
        RecipeFamily::Locks,
    };
}

Command extendCommand()
{
    return {
        "extend",
        {"RECIPE KEY", 2, 2},
        QT_TRANSLATE_NOOP("CommandLine", "gives a held lock a new lease"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Gives the lock KEY a new lease from now on, if it is still held with the token. It never creates a lock.

{options}

With --json {outcome: "extended"|"not-owner"|"gone"|"unknown"}; unknown also for a replica without a link to its primary, because its keys may be out of date.
Exit code: 0 extended, 1 not the owner or gone, 2 wrong usage, 3 error or unknown outcome.

Example:
  latchkey-cli extend token lock:orders --token "$token" --lease 30s
)help"),
        QList<QCommandLineOption> {Arguments::leaseOption(CommandLine::tr("the new lease"))}
            + Arguments::tokenOptions(CommandLine::tr(heldToken)) + Arguments::keyOptions(),
        extend,
        RecipeFamily::LocksThatExtend,
    };
}

} // namespace latchkey::cli

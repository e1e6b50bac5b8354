#include "app/cli/forcedrelease.h"

#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/stalereplica.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/terminaltext.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/inspection/release.h"
#include "core/keyspace/watching/conditionalchanges.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"

#include <array>
#include <cstdio>

#include <unistd.h>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using inspection::ReleaseMethod;
using Obstacle = ReleaseMethod::Obstacle;

namespace {

/// A release by force: its key, the server, and the parts that are needed to recognise the lock.
struct ForcedRelease
{
    base::Key key;
    QString name; ///< Such as `release "k"`, for messages.
    bool hasRecipe = false;
    bool wantsJson = false;
    bool asks = false;
    std::unique_ptr<exchange::BlockingDriver> driver;
    recognition::Recogniser recogniser {userDialects()};
};

Result<void> checkOptions(const Arguments &arguments)
{
    for (const char *option : {"token", "token-file"}) {
        if (arguments.isSet(option))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--force and --%1 exclude each other").arg(QLatin1String(option)));
    }
    if (arguments.positionalCount() > 1) {
        if (const auto recipe = locks::findRecipe(arguments.positionalText(0)); !recipe)
            return failure(recipe.error());
    }
    if (!arguments.isSet("yes") && (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0))
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("release --force asks for confirmation on a terminal; without one it needs --yes"));
    return checkUserDialects();
}

Result<ForcedRelease> prepare(const Arguments &arguments)
{
    if (const auto checked = checkOptions(arguments); !checked)
        return failure(checked.error());
    const auto key = arguments.key(arguments.positionalCount() - 1);
    if (!key)
        return failure(key.error());
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return failure(endpoint.error());
    ForcedRelease release;
    release.key = *key;
    release.name = QStringLiteral("release \"%1\"").arg(base::printable(key->bytes(), 100));
    release.hasRecipe = arguments.positionalCount() > 1;
    release.wantsJson = arguments.wantsJson();
    release.asks = !arguments.isSet("yes");
    release.driver = std::make_unique<exchange::BlockingDriver>(std::vector {*endpoint}, arguments.timeout());
    return release;
}

/// Prints the outcome. `explanation`: why nothing was changed; empty if the lock was released.
ExitCode say(const ForcedRelease &release, const char *outcome, const QString &explanation)
{
    if (release.wantsJson)
        printJson(QJsonObject {{QStringLiteral("outcome"), QLatin1String(outcome)}});
    else if (explanation.isEmpty())
        printLine(QLatin1String(outcome));
    if (explanation.isEmpty())
        return ExitCode::Yes;
    note(release.name + QStringLiteral(": ") + explanation);
    return ExitCode::No;
}

ExitCode fail(const ForcedRelease &release, const base::Error &error, bool isSent)
{
    const bool isUnknown = isSent && base::leavesOutcomeUnknown(error.kind);
    if (isUnknown && release.wantsJson)
        printJson(QJsonObject {{QStringLiteral("outcome"), QStringLiteral("unknown")}});
    const QString message = error.during(release.name).message();
    printError(isUnknown ? message + CommandLine::tr("; the outcome is unknown") : message);
    return exitCodeFor(error);
}

/// Returns why the lock cannot be released by deleting its key. Empty if it can. With a recipe from the user, the key
/// counts as a lock.
QString obstacleTo(const ReleaseMethod &method, bool hasRecipe)
{
    switch (method.obstacle) {
    case Obstacle::None:
        return {};
    case Obstacle::NoLock:
        return hasRecipe ? QString() : CommandLine::tr("it is not recognised as a lock; nothing was changed");
    case Obstacle::Uncertain:
        return hasRecipe
                 ? QString()
                 : CommandLine::tr("its library is uncertain, and so is the way to release it; nothing was changed");
    case Obstacle::Shared:
    case Obstacle::Permits:
    case Obstacle::Queue:
    case Obstacle::Job:
    case Obstacle::Unknown:
        break;
    }
    return CommandLine::tr("its library (%1) does more than delete the key; nothing was changed").arg(method.kind);
}

/// Shows the lock and asks the user to confirm its deletion. Returns whether the answer was yes.
bool isConfirmed(ForcedRelease &release, const inspection::ReleasePlan &releasable)
{
    const auto found = release.driver->run(detection::examine(release.key, release.recogniser));
    const auto holder = found ? firstHolder(found->recognition) : std::nullopt;
    const auto left = releasable.snapshot.deadline.pttl(base::SystemClock::instance().now());
    const QString question =
        CommandLine::tr("%1: holder %2, %3. Delete it if it is still so? [y/N] ")
            .arg(base::printable(release.key.bytes()), holder ? base::printable(*holder) : QStringLiteral("-"),
                 left < 0 ? CommandLine::tr("no expiry")
                          : CommandLine::tr("%1 left").arg(base::displayDuration(std::chrono::milliseconds(left))));
    std::fprintf(stderr, "%s", base::terminalText(question).toUtf8().constData());
    std::fflush(stderr);
    std::array<char, 16> answer {};
    if (std::fgets(answer.data(), answer.size(), stdin) == nullptr)
        return false;
    const QByteArray word = QByteArray(answer.data()).trimmed().toLower();
    return word == "y" || word == "yes";
}

ExitCode deleteSeen(const ForcedRelease &release, const inspection::ReleasePlan &releasable)
{
    const auto result =
        release.driver->run(watching::deleteIfUnchanged(releasable.snapshot, releasable.method.wakeCommands));
    if (!result)
        return fail(release, result.error(), true);
    switch (result->outcome) {
    case watching::ChangeOutcome::Done:
        return say(release, "released", {});
    case watching::ChangeOutcome::Gone:
        return say(release, "gone", CommandLine::tr("the lock no longer exists"));
    case watching::ChangeOutcome::Changed:
    case watching::ChangeOutcome::NotApplied:
    case watching::ChangeOutcome::Taken:
    case watching::ChangeOutcome::TooLate:
        break;
    }
    return say(release, "changed",
               CommandLine::tr("the lock was renewed or changed after it was read; nothing was changed"));
}

} // namespace

QList<QCommandLineOption> forceOptions()
{
    return {
        makeOption(
            "force", "",
            CommandLine::tr("release the lock of another client, whichever recipe or library it is of; RECIPE is not "
                            "needed. The key is deleted only if its value and its expiry are still as they were "
                            "read, and waiting clients are woken as the library does. The holder is not informed")),
        makeOption("yes", "", CommandLine::tr("with --force: do not ask for confirmation; needed without a terminal")),
    };
}

ExitCode releaseByForce(const Arguments &arguments)
{
    auto release = prepare(arguments);
    if (!release)
        return printError(release.error());
    if (const auto connected = release->driver->connect(); !connected)
        return fail(*release, connected.error(), false);
    const auto &server = release->driver->serverInfo(0);
    const bool isCluster = server && server->mode == u"cluster";
    const auto seen = release->driver->run(inspection::readForRelease(release->key, release->recogniser, isCluster));
    if (!seen)
        return fail(*release, seen.error(), false);
    if (const auto fresh = refuseStaleAnswer(*release->driver); !fresh)
        return printStale(release->name, fresh.error(), release->wantsJson);
    if (!seen->snapshot.exists())
        return say(*release, "gone", CommandLine::tr("the lock no longer exists"));
    if (const QString obstacle = obstacleTo(seen->method, release->hasRecipe); !obstacle.isEmpty())
        return say(*release, "refused", obstacle);
    if (release->asks && !isConfirmed(*release, *seen))
        return say(*release, "declined", CommandLine::tr("not confirmed; nothing was changed"));
    return deleteSeen(*release, *seen);
}

} // namespace latchkey::cli

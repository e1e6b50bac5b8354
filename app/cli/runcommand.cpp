// run: holds a lock while a program runs.

#include "app/cli/command.h"
#include "app/cli/guardedrun.h"
#include "app/cli/serverenvironment.h"
#include "app/cli/stalereplica.h"
#include "app/help/commandline.h"
#include "core/recipes/locks/foreigntype.h"

#include <QLoggingCategory>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using locks::Acquisition;
using locks::Loss;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

// Exit codes in the shell's convention.
constexpr int notExecutable = 126;
constexpr int notFound = 127;
constexpr int firstSignal = 128;

/// Age after which an idle connection may have been dropped by the server or a firewall.
constexpr auto maxIdleTime = 1s;
/// Timeout of releasing a lost lock, which only helps waiting clients.
constexpr auto releaseTimeout = 500ms;

struct RunOptions
{
    milliseconds wait {};
    milliseconds grace = 10s;
    int busyCode = static_cast<int>(ExitCode::No);
    process::Launch program; ///< Launch parameters without the environment variables about the lock.
};

Result<RunOptions> optionsFrom(const Arguments &arguments)
{
    if (arguments.wantsJson())
        return failure(ErrorKind::Usage, CommandLine::tr("run does not accept --json: its output is the program's"));
    RunOptions options;
    const auto wait = waitFrom(arguments);
    if (!wait)
        return failure(wait.error());
    options.wait = *wait;
    const auto grace = arguments.duration("kill-after");
    if (!grace)
        return failure(grace.error());
    options.grace = grace->value_or(options.grace);
    if (options.grace < 0ms || options.grace > 24h)
        return failure(ErrorKind::Usage, CommandLine::tr("--kill-after: the time is from 0s to 1d"));
    if (arguments.isSet("E")) {
        bool isNumber = false;
        options.busyCode = arguments.text("E").toInt(&isNumber);
        if (!isNumber || options.busyCode < 0 || options.busyCode > 255)
            return failure(ErrorKind::Usage, CommandLine::tr("-E: an exit code is from 0 to 255, not \"%1\"")
                                                 .arg(base::printable(arguments.bytes("E"))));
    }
    for (int i = 2; i < arguments.positionalCount(); ++i)
        options.program.words += arguments.positionalBytes(i);
    return options;
}

/// Returns the variables with which the program can prove that it holds the lock. The environment of a process is
/// readable by its user only, unlike its command line. A value with a NUL byte cannot be passed.
QList<process::Launch::Variable> lockEnvironment(const LockOperation &operation, const Acquisition &acquisition)
{
    const auto variable = [](const char *name, const QByteArray &value) {
        const bool fits = !value.isEmpty() && !value.contains('\0');
        return process::Launch::Variable {name, fits ? std::optional(value) : std::nullopt};
    };
    const QByteArray key = operation.key.bytes();
    const bool canNameKey = !key.isEmpty() && !key.contains('\0');
    return {
        variable("LATCHKEY_KEY", key),
        variable("LATCHKEY_TOKEN", operation.recipe->hasToken && canNameKey ? acquisition.token.bytes() : QByteArray()),
        variable("LATCHKEY_FENCING",
                 acquisition.fencing ? QByteArray::number(acquisition.fencing->value) : QByteArray()),
    };
}

QString whyNotReleased(bool isGone, bool isOver)
{
    if (isGone)
        return isOver ? CommandLine::tr("its lease has ended, and the lock no longer exists")
                      : CommandLine::tr("it was lost before, and the lock no longer exists");
    return isOver ? CommandLine::tr("its lease has ended, and another client holds the lock")
                  : CommandLine::tr("it was lost before, and another client holds the lock");
}

void reportReleaseError(const LockOperation &operation, const QString &why)
{
    printError(
        CommandLine::tr("%1: the program has ended, but its lock could not be released: %2").arg(operation.name, why));
}

/// Releases the lock after the end of the program. An error does not change the exit code, because the program has done
/// its work. `isFresh`: whether the connection that acquired the lock can be used. `isOver`: whether the lease has
/// ended.
void release(LockOperation &operation, const Acquisition &acquisition, bool isFresh, bool isOver = false)
{
    if (!isFresh)
        operation.driver = std::make_unique<exchange::BlockingDriver>(operation.servers, operation.timeout);
    const auto released = operation.driver->run(operation.lock->release(acquisition.token));
    if (!released)
        reportReleaseError(operation, released.error().message());
    else if (*released != locks::ReleaseOutcome::Released)
        reportReleaseError(operation, whyNotReleased(*released == locks::ReleaseOutcome::Gone, isOver));
}

/// Releases a lock that was lost because it could not be renewed. The server may still have the lock; the release is
/// only tried if the recipe cannot release the lock of another holder. The timeout is short and an error is ignored,
/// because the loss was already reported.
void releaseLost(const LockOperation &operation, const Acquisition &acquisition, const Loss &loss)
{
    const bool mayBeThere = loss.kind != Loss::Kind::NotOwner && loss.kind != Loss::Kind::Gone;
    if (!mayBeThere || !operation.recipe->hasPromise(catalogue::Promise::OwnerOnlyRelease))
        return;
    exchange::BlockingDriver driver(operation.servers, releaseTimeout);
    (void)driver.run(operation.lock->release(acquisition.token));
}

/// Returns whether the connection that acquired the lock may lead to a former primary.
bool mayFailOver(const LockOperation &operation)
{
    return std::ranges::any_of(operation.servers,
                               [](const net::Endpoint &server) { return server.sentinels.has_value(); });
}

int exitCodeFor(std::error_code notRun)
{
    return notRun == std::errc::no_such_file_or_directory ? notFound : notExecutable;
}

int runProgram(LockOperation &operation, const Acquisition &acquisition, RunOptions options,
               base::UnixSignals &unixSignals)
{
    // The signals are watched from here on: before the program runs, they have their usual effect.
    std::signal(SIGCHLD, SIG_DFL); // With SIGCHLD ignored, children cannot be watched.
    for (const int number : {SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCHLD})
        unixSignals.watch(number);

    options.program.hasOwnGroup = true;
    options.program.environment += lockEnvironment(operation, acquisition);
    const auto started = base::SystemClock::instance().now();
    process::Child program;
    const auto launched = program.start(options.program);
    std::signal(SIGPIPE, SIG_IGN); // Ignored after the program has inherited the previous handler, because the reader
                                   // of error messages may have exited.
    if (!launched) {
        printError(CommandLine::tr("%1: cannot run \"%2\": %3")
                       .arg(operation.name, base::printable(options.program.words.front(), 100),
                            QString::fromStdString(launched.error().message())));
        release(operation, acquisition, true);
        return exitCodeFor(launched.error());
    }

    GuardedRun run(operation, acquisition, program, unixSignals, options.grace);
    const int exitCode = run.wait();
    operation.servers = run.endpoints();
    if (run.loss()) {
        releaseLost(operation, acquisition, *run.loss());
        return static_cast<int>(ExitCode::Lost);
    }
    const auto ended = base::SystemClock::instance().now();
    const bool isOver = ended >= run.validUntil();
    if (isOver && !operation.recipe->hasPromise(catalogue::Promise::OwnerOnlyRelease))
        reportReleaseError(operation, CommandLine::tr("its lease has ended, and another client may hold it"));
    else
        release(operation, acquisition, ended - started < maxIdleTime && !mayFailOver(operation), isOver);
    return exitCode;
}

ExitCode runRun(const Arguments &arguments)
{
    // A lost connection is reported only with the loss of the lock.
    QLoggingCategory::setFilterRules(QStringLiteral("latchkey.connection=false"));
    auto operation = prepareForAcquire(arguments, "run");
    if (!operation)
        return printError(operation.error());
    auto options = optionsFrom(arguments);
    if (!options)
        return printError(options.error());
    options->program.environment = serverEnvironment(arguments, operation->servers);

    // While this process connects, no lock is held, and a signal ends the process. Several servers connect with the
    // first attempt, because some may be down.
    if (operation->servers.size() == 1) {
        if (const auto connected = operation->driver->connect(); !connected)
            return printError(*operation, connected.error());
    }
    if (const auto independent = refuseDependentServers(*operation); !independent)
        return printError(*operation, independent.error());
    base::UnixSignals unixSignals {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    std::optional<int> signal;
    const auto isInterrupted = [&] { return (signal = signal ? signal : unixSignals.take()).has_value(); };
    const auto acquisition = operation->driver->run(locks::acquireUnlessForeign(
        *operation->recipe, *operation->lock, operation->key, options->wait, isInterrupted));
    if (!acquisition)
        return printError(*operation, acquisition.error());
    if (isInterrupted()) {
        if (acquisition->isAcquired())
            release(*operation, *acquisition, true);
        return static_cast<ExitCode>(firstSignal + *signal);
    }
    if (!acquisition->isAcquired()) {
        // For SET NX, a key of another type would appear busy forever.
        if (const auto isLock =
                operation->driver->run(locks::refuseForeignType(operation->key, operation->options.servers));
            !isLock)
            return printError(*operation, isLock.error());
        if (const auto fresh = refuseStaleAnswer(*operation->driver, operation->options.servers); !fresh)
            return printError(*operation, fresh.error());
        if (acquisition->undecided)
            return printUndecided(*operation, *acquisition->undecided);
        note(operation->name
             + (acquisition->reason.isEmpty() ? CommandLine::tr(": busy")
                                              : QStringLiteral(": ") + acquisition->reason.toString()));
        return static_cast<ExitCode>(options->busyCode);
    }
    preferSingleCommand(*operation);
    return static_cast<ExitCode>(runProgram(*operation, *acquisition, std::move(*options), unixSignals));
}

} // namespace

Command runCommand()
{
    return {
        "run",
        {"RECIPE KEY -- COMMAND...", 3, -1},
        QT_TRANSLATE_NOOP("CommandLine", "holds a lock while a program runs"),
        QT_TRANSLATE_NOOP("CommandLine", R"help(Acquires the lock KEY by RECIPE, runs COMMAND while holding it, and releases it. Recipes that can extend are renewed at a third of the lease, so a short lease is enough for long work. COMMAND runs in its own process group, with the standard input and output of this command. Signals are forwarded to that group. Reading from the terminal and job control work as usual.

{options}

The environment of COMMAND contains LATCHKEY_KEY, LATCHKEY_TOKEN if the recipe has tokens, LATCHKEY_FENCING if it has fencing numbers, LATCHKEY_URL with the server of --url if given, and LATCHKEY_PASSWORD with the password of --password-file, so that a latchkey-cli in COMMAND uses the same server. If --url contains the password, LATCHKEY_PASSWORD is not set. A key or token that contains NUL is left out. An environment is readable by the same user only, a command line by all users. The token of one key is not used for another.

The lock is lost when its lease ends, or when another client deletes or replaces it. The next renewal detects that, at a third of the lease. For a recipe that cannot extend, the lock is read (GET, PTTL) at least every 250 ms if the user has permission. A lock that could not be renewed is given up after a second failure at half of the lease, or when a third of the lease is left, so that COMMAND has that time to end. If another client has shortened the lease, it is given up when a third of the lease is left until the new end. In all of these cases the group of COMMAND receives SIGTERM, and SIGKILL if it still exists after --kill-after. If this command is killed, the kernel kills COMMAND, because its lock is no longer renewed, but not the children of COMMAND. While both are stopped (Ctrl-Z) nothing is renewed: if the lease has ended when they continue, the lock is lost, unless COMMAND ended first.

Exit code: that of COMMAND; 128 plus the number of the signal that ended it. Otherwise 1 (or -E) busy, 2 wrong usage, 3 error or unknown outcome, 4 the lock was lost and COMMAND was ended, 126 COMMAND cannot be run, 127 it is not found. A failed release is reported on standard error and does not change the exit code.

Examples:
  latchkey-cli run renewing lock:report --lease 5s -- make report
  latchkey-cli run token lock:backup -E 0 -- pg_dump shop    # not an error if another backup runs
  latchkey-cli run fenced lock:ledger --wait 1m -- sh -c 'book --fence "$LATCHKEY_FENCING"'
)help"),
        acquireOptions(CommandLine::tr("lease of each acquisition and renewal; default 30s"))
            + QList<QCommandLineOption> {
                makeOption("E,conflict-exit-code", "CODE", CommandLine::tr("exit code if the lock is busy; default 1")),
                makeOption("kill-after", "DURATION", CommandLine::tr("time from SIGTERM to SIGKILL after the lock is lost; default 10s")),
            },
        runRun,
        RecipeFamily::Locks,
    };
}

} // namespace latchkey::cli

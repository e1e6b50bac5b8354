#include "app/cli/lockoperation.h"
#include "app/cli/serveridentity.h"
#include "app/help/commandline.h"

#include "core/foundation/base/duration.h"
#include "core/inspect/voting/independence.h"
#include "core/recipes/locks/unixdeadline.h"

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using exchange::BlockingDriver;
using help::CommandLine;
using namespace std::chrono_literals;

namespace {

Result<std::optional<locks::LeaseUnit>> leaseUnitFrom(const Arguments &arguments)
{
    if (!arguments.isSet("unit"))
        return std::nullopt;
    const QString unit = arguments.text("unit");
    if (unit == u"s")
        return locks::LeaseUnit::Seconds;
    if (unit == u"ms")
        return locks::LeaseUnit::Milliseconds;
    return failure(ErrorKind::Usage,
                   CommandLine::tr("unknown unit \"%1\"; the units of a lease are s and ms").arg(unit));
}

Result<locks::LockOptions> acquireOptionsFrom(const Arguments &arguments)
{
    const auto lease = arguments.lease();
    if (!lease)
        return failure(lease.error());
    const auto unit = leaseUnitFrom(arguments);
    if (!unit)
        return failure(unit.error());
    locks::LockOptions options;
    options.lease = *lease;
    options.unit = *unit;
    if (arguments.isSet("value"))
        options.value = arguments.bytes("value");
    return options;
}

/// Prepares everything except the lock, which depends on the command.
Result<LockOperation> begin(const Arguments &arguments, const char *verb, bool isAcquire)
{
    LockOperation operation;
    if (auto read = operation.read(arguments, verb, locks::recipes()); !read)
        return failure(std::move(read.error()));
    const auto endpoints = arguments.endpoints();
    if (!endpoints)
        return failure(endpoints.error());
    operation.servers = *endpoints;
    operation.driver = std::make_unique<BlockingDriver>(operation.servers, operation.timeout,
                                                        *operation.attemptRecorder, *operation.attemptRecorder);
    const auto token = arguments.token(operation.key);
    if (!token)
        return failure(token.error());
    // The environment may have a token for another recipe; only a token on the command line can be an error.
    const bool hasUseForIt =
        isAcquire ? operation.recipe->value == locks::LockValue::Token : operation.recipe->hasToken;
    if (hasUseForIt || arguments.isSet("token") || arguments.isSet("token-file"))
        operation.token = *token;
    return operation;
}

Result<LockOperation> withLock(LockOperation operation, locks::LockOptions options)
{
    options.key = operation.key;
    options.servers = static_cast<int>(operation.servers.size());
    auto lock = locks::makeLock(*operation.recipe, options);
    if (!lock)
        return failure(std::move(lock.error()));
    operation.lock = std::move(*lock);
    operation.options = std::move(options);
    return operation;
}

/// Returns whether a client that ends during its attempt may leave a lock without a lease, because a separate command
/// sets the lease after the lock was created.
bool mayLackLease(const LockOperation &operation)
{
    return operation.lease && !operation.recipe->hasPromise(catalogue::Promise::CrashRelease);
}

/// Connects to all servers at once, so that they describe themselves. An unreachable one delays the lock only shortly.
exchange::Exchange<int> greet(int servers)
{
    exchange::Batch greetings = exchange::Batch().within(500ms);
    for (int server = 0; server < servers; ++server)
        greetings.add(resp::Command {QByteArrayLiteral("PING")}, server);
    const exchange::Answers answers = co_await std::move(greetings);
    co_return static_cast<int>(answers.size());
}

QString possibleHoldText(const LockOperation &operation, const locks::Acquisition &possible)
{
    if (possible.lease)
        return CommandLine::tr(": if it was acquired, it is held for %1")
            .arg(base::formatDuration(possible.lease->duration()));
    if (mayLackLease(operation))
        return CommandLine::tr(": if it was acquired, it may be held until it is released, because its lease is set by "
                               "a second command");
    return CommandLine::tr(": if it was acquired, it is held until it is released");
}

} // namespace

Result<LockOperation> prepareForHeld(const Arguments &arguments, const char *verb)
{
    auto operation = begin(arguments, verb, false);
    if (!operation)
        return operation;
    if (const auto fits = locks::checkReleaseToken(*operation->recipe, operation->token); !fits)
        return failure(fits.error());
    return withLock(std::move(*operation), {});
}

Result<LockOperation> prepareForAcquire(const Arguments &arguments, const char *verb)
{
    auto operation = begin(arguments, verb, true);
    if (!operation)
        return operation;
    auto options = acquireOptionsFrom(arguments);
    if (!options)
        return failure(std::move(options.error()));
    options->token = operation->token;
    operation->isAcquire = true;
    if (operation->recipe->hasLease)
        operation->lease = options->lease.value_or(locks::defaultLease());
    return withLock(std::move(*operation), std::move(*options));
}

void preferSingleCommand(LockOperation &operation)
{
    std::optional<locks::CompareForm> common;
    for (int server = 0; server < operation.options.servers; ++server) {
        const auto &said = operation.driver->serverInfo(server);
        if (!said)
            continue; // The server is down or its version is unknown. If the command is sent anyway, the server may
                      // refuse it.
        const locks::CompareForm form = locks::likelyCompareForm(*said);
        if (form != common.value_or(form))
            return;
        common = form;
    }
    operation.options.form = common.value_or(locks::CompareForm::Script);
    if (auto lock = locks::makeLock(*operation.recipe, operation.options))
        operation.lock = std::move(*lock);
}

Result<void> connectAndPreferSingleCommand(LockOperation &operation)
{
    if (operation.servers.size() > 1)
        return {};
    if (auto connected = operation.driver->connect(); !connected)
        return connected;
    preferSingleCommand(operation);
    return {};
}

Result<void> refuseDependentServers(LockOperation &operation)
{
    if (operation.servers.size() < 2)
        return {};
    (void)operation.driver->run(greet(operation.options.servers));
    std::vector<voting::DescribedServer> servers;
    for (int server = 0; server < operation.options.servers; ++server)
        servers.push_back({operation.servers.at(static_cast<std::size_t>(server)),
                           operation.driver->serverInfo(server).value_or(resp::ServerInfo())});
    if (auto dependent = voting::whyDependent(servers))
        return failure(std::move(*dependent));
    std::vector<voting::DescribedServer> answering;
    for (int server = 0; server < operation.options.servers; ++server) {
        if (operation.driver->serverInfo(server))
            answering.push_back(servers[static_cast<std::size_t>(server)]);
    }
    ServerIdentity identity = ServerIdentity::compare(answering, operation.timeout);
    if (identity.dependence)
        return failure(std::move(*identity.dependence));
    if (identity.unknown)
        printError(operation.name + QStringLiteral(": ") + identity.unknown->message());
    return {};
}

QList<QCommandLineOption> acquireOptions(const QString &lease)
{
    return QList<QCommandLineOption> {
               Arguments::leaseOption(lease),
               makeOption("unit", "s|ms", CommandLine::tr("unit in which the lease is sent (auto-release)")),
               makeOption("wait", "DURATION", CommandLine::tr("time to retry while the lock is busy")),
               makeOption("value", "VALUE", CommandLine::tr("value of a lock without a token; default `locking`")),
           }
         + Arguments::tokenOptions(CommandLine::tr("use this token instead of a random one")) + Arguments::keyOptions();
}

Result<std::chrono::milliseconds> waitFrom(const Arguments &arguments)
{
    const auto wait = arguments.duration("wait");
    if (!wait)
        return failure(wait.error());
    const auto given = wait->value_or(std::chrono::milliseconds::zero());
    if (given.count() < 0)
        return failure(ErrorKind::Usage, CommandLine::tr("--wait: a wait cannot be negative"));
    return given;
}

std::optional<locks::Acquisition> possibleAcquisition(const LockOperation &operation, const base::Error &error)
{
    if (!operation.isAcquire || !base::leavesOutcomeUnknown(error.kind))
        return std::nullopt;
    locks::Acquisition possible;
    if (!mayLackLease(operation))
        possible.lease = operation.lease;
    if (operation.recipe->value == locks::LockValue::Deadline)
        possible.token = base::OwnerToken(
            locks::UnixDeadline::after(operation.attemptRecorder->lastRead(), *operation.lease).toBytes());
    else if (operation.recipe->value == locks::LockValue::Token)
        possible.token =
            operation.token ? *operation.token : operation.attemptRecorder->lastToken().value_or(base::OwnerToken());
    return possible;
}

ExitCode printUndecided(const LockOperation &operation, const base::Error &undecided)
{
    printError(operation.name + CommandLine::tr(": busy; %1").arg(undecided.message()));
    return ExitCode::Error;
}

ExitCode printError(const LockOperation &operation, const base::Error &error)
{
    QString message = error.during(operation.name).message();
    if (base::leavesOutcomeUnknown(error.kind))
        message += CommandLine::tr("; the outcome is unknown");
    if (const auto possible = possibleAcquisition(operation, error)) {
        message += possibleHoldText(operation, *possible);
        // A token given by the user is a secret.
        if (operation.recipe->hasToken)
            message += operation.token
                         ? CommandLine::tr(", with your token")
                         : CommandLine::tr(", with the token %1").arg(base::printable(possible->token.bytes()));
    }
    printError(message);
    return exitCodeFor(error);
}

} // namespace latchkey::cli

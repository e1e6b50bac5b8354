#include "app/cli/guardedget.h"

#include "app/cli/leaserenewal.h"
#include "app/cli/output.h"
#include "app/cli/serverenvironment.h"
#include "app/help/commandline.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/files/json.h"
#include "core/foundation/process/child.h"
#include "core/recipes/locks/token.h"

#include <QCoreApplication>
#include <QLoggingCategory>

#include <csignal>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using caches::Content;
using caches::GuardedCache;
using caches::GuardOptions;
using caches::GuardPolicy;
using caches::Lookup;
using caches::LookupOutcome;
using caches::StoreOutcome;
using exchange::BlockingDriver;
using help::CommandLine;

namespace {

Result<GuardPolicy> policyFrom(const Arguments &arguments)
{
    const QString policy = arguments.isSet("policy") ? arguments.text("policy") : QStringLiteral("wait");
    if (policy == u"wait")
        return GuardPolicy::Wait;
    if (policy == u"stale")
        return GuardPolicy::ServeStale;
    if (policy == u"none")
        return GuardPolicy::None;
    return failure(ErrorKind::Usage,
                   CommandLine::tr("unknown policy \"%1\"; the policies are wait, stale and none").arg(policy));
}

Result<GuardOptions> guardOptionsFrom(const Arguments &arguments)
{
    GuardOptions options;
    const auto policy = policyFrom(arguments);
    if (!policy)
        return failure(policy.error());
    options.policy = *policy;
    const auto wait = arguments.duration("wait");
    if (!wait)
        return failure(wait.error());
    options.wait = wait->value_or(options.wait);
    const auto lease = arguments.lease();
    if (!lease)
        return failure(lease.error());
    options.lease = lease->value_or(options.lease);
    const auto staleFor = arguments.lease("stale-for");
    if (!staleFor)
        return failure(staleFor.error());
    options.staleFor = *staleFor;

    if (options.policy == GuardPolicy::None && (*wait || *lease))
        return failure(ErrorKind::Usage,
                       CommandLine::tr("--policy none has no guard: --wait and --lease do not apply"));
    if (options.policy != GuardPolicy::ServeStale && *staleFor)
        return failure(ErrorKind::Usage, CommandLine::tr("--stale-for goes with --policy stale"));
    return options;
}

Result<std::unique_ptr<GuardedCache>> guardedCacheFrom(const CacheOperation &operation, const Arguments &arguments)
{
    const auto lifetime = arguments.lease("ttl");
    if (!lifetime)
        return failure(lifetime.error());
    if (!*lifetime)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("what COMMAND gives is cached, and needs its lifetime: --ttl 5m"));
    const auto guard = guardOptionsFrom(arguments);
    if (!guard)
        return failure(guard.error());
    caches::CacheOptions options;
    options.key = operation.key;
    options.lifetime = *lifetime;
    options.guard = *guard;
    return caches::makeGuarded(std::move(options));
}

/// The reason why waiting for a program has ended before the program.
struct CommandEnding
{
    std::optional<int> signal; ///< Signal that this command has received.
    bool wasTooMuch = false;   ///< Whether the program has written more than the cache limit.
};

/// Runs the event loop until the program and its output have ended, and renews the guard meanwhile. The end of the
/// output is not the end of the program. If the guard is lost, the program continues: its value is valid for this
/// caller, and the store decides whether it may be cached.
///
/// A termination signal is forwarded to the program, and is the result of the wait. A program that writes more than the
/// cache limit is terminated, and its remaining output is discarded. In both cases, the function does not wait for
/// other processes that hold the output of the ended program open.
CommandEnding waitFor(process::Child &program, locks::LeaseWatchdog &watchdog, base::UnixSignals &unixSignals)
{
    CommandEnding ending;
    const auto isOver = [&] {
        return !program.isRunning() && (program.hasOutputEnded() || ending.signal || ending.wasTooMuch);
    };
    const auto leave = [&] {
        if (!isOver())
            return;
        watchdog.stop();
        QCoreApplication::exit();
    };
    const QObject context;
    QObject::connect(&program, &process::Child::ended, &context, leave);
    QObject::connect(&program, &process::Child::outputEnded, &context, leave);
    QObject::connect(&program, &process::Child::outputReceived, &context, [&] {
        if (!ending.wasTooMuch && program.output().size() <= largestValue)
            return;
        if (!std::exchange(ending.wasTooMuch, true) && program.isRunning())
            program.signal(SIGTERM);
        (void)program.takeOutput();
    });
    QObject::connect(&unixSignals, &base::UnixSignals::received, &context, [&](int number) {
        ending.signal = ending.signal.value_or(number);
        if (program.isRunning())
            program.signal(number);
        leave();
    });
    QCoreApplication::exec();
    return ending;
}

/// One execution of the command: look up, recompute if necessary, store.
class GuardedGet final
{
public:
    GuardedGet(CacheOperation &operation, GuardedCache &cache, bool wantsJson)
        : m_operation(operation)
        , m_cache(cache)
        , m_wantsJson(wantsJson)
    {}

    [[nodiscard]] ExitCode run(const process::Launch &launch)
    {
        const auto found = m_operation.driver->run(m_cache.lookup());
        if (!found)
            return fail(m_operation, found.error(), m_wantsJson);
        switch (found->outcome) {
        case LookupOutcome::Hit:
            return print("hit", found->value, true);
        case LookupOutcome::Stale:
            return print("stale", found->value, false);
        case LookupOutcome::MustRecompute:
            return recompute(*found, launch);
        case LookupOutcome::GaveUp:
            return printNothing("busy", CommandLine::tr("another client is still recomputing the value"));
        }
        Q_UNREACHABLE();
    }

private:
    [[nodiscard]] ExitCode recompute(const Lookup &mine, const process::Launch &launch)
    {
        // A guard may exist from this point on, and must be released on a signal.
        base::UnixSignals unixSignals {SIGHUP, SIGINT, SIGTERM};
        process::Child program;
        if (const auto started = program.start(launch); !started) {
            abandon(mine);
            return fail(m_operation,
                        {ErrorKind::Local, CommandLine::tr("cannot run \"%1\": %2")
                                               .arg(base::printable(launch.words.front(), 100),
                                                    QString::fromStdString(started.error().message()))},
                        m_wantsJson);
        }
        const CommandEnding ending = waitFor(program, mine, unixSignals);
        if (ending.signal || ending.wasTooMuch)
            abandon(mine);
        if (ending.signal)
            return static_cast<ExitCode>(128 + *ending.signal);
        if (ending.wasTooMuch)
            return fail(
                m_operation,
                {ErrorKind::Local, CommandLine::tr("%1 writes more than %2 MiB, which is more than is cached or "
                                                   "read; nothing was cached")
                                       .arg(base::printable(launch.words.front(), 100))
                                       .arg(largestValue / mebibyte)},
                m_wantsJson);
        if (program.exitCode() != 0) {
            abandon(mine);
            return printNothing(
                "failed",
                CommandLine::tr("%1 ended with the exit code %2; nothing was cached")
                    .arg(base::printable(launch.words.front(), 100), QString::number(program.exitCode())),
                program.exitCode());
        }
        return store(mine, program.output());
    }

    [[nodiscard]] CommandEnding waitFor(process::Child &program, const Lookup &mine,
                                        base::UnixSignals &unixSignals) const
    {
        const base::Lease lease = m_cache.options().lease;
        locks::TokenLock guard(GuardedCache::guardKey(m_operation.key), lease, {});
        LeaseRenewal renewal({m_operation.server}, *m_operation.driver, lease, lease.duration() / 3);
        if (mine.guard)
            renewal.watchdog().keep(guard, *mine.guard, lease, mine.guardValidUntil);
        return cli::waitFor(program, renewal.watchdog(), unixSignals);
    }

    [[nodiscard]] ExitCode store(const Lookup &mine, const QByteArray &value)
    {
        renewConnection();
        const auto stored = m_operation.driver->run(m_cache.store(Content::ofValue(value), mine.guard));
        const bool isStored = stored && *stored == StoreOutcome::Stored;
        const ExitCode printed = print("recomputed", value, isStored);
        if (!stored) {
            printError(stored.error().during(m_operation.name).message()
                       + (base::leavesOutcomeUnknown(stored.error().kind)
                              ? CommandLine::tr("; whether the value was cached is unknown")
                              : CommandLine::tr("; the value was not cached")));
            return ExitCode::Error;
        }
        if (!isStored)
            printError(m_operation.name
                       + CommandLine::tr(": the guard's lease ended before the command did; the value was not cached"));
        return printed;
    }

    void abandon(const Lookup &mine)
    {
        if (!mine.guard)
            return;
        renewConnection();
        (void)m_operation.driver->run(m_cache.abandon(*mine.guard));
    }

    /// Replaces the connection, which may have been idle during the program and closed by the server.
    void renewConnection()
    {
        m_operation.driver = std::make_unique<BlockingDriver>(std::vector {m_operation.server}, m_operation.timeout);
    }

    /// Prints the value. `isCached`: whether the key has the value, and therefore a TTL to print.
    [[nodiscard]] ExitCode print(const char *outcome, const QByteArray &value, bool isCached)
    {
        const auto stale = whyOutOfDate(m_operation);
        if (!m_wantsJson) {
            printValue(value);
            return exitCodeFor(m_operation, stale, ExitCode::Yes);
        }
        QJsonObject object {{QStringLiteral("outcome"), QLatin1String(outcome)},
                            {QStringLiteral("pttl_ms"), QJsonValue::Null}};
        files::insertBytes(object, QStringLiteral("value"), value);
        const auto inserted =
            isCached ? insertLifetime(object, m_operation, caches::Content::ofValue(value)) : Result<void>();
        insertStaleness(object, stale);
        printJson(object);
        const ExitCode exitCode = inserted ? ExitCode::Yes : fail(m_operation, inserted.error(), false);
        return exitCodeFor(m_operation, stale, exitCode);
    }

    [[nodiscard]] ExitCode printNothing(const char *outcome, const QString &explanation,
                                        std::optional<int> programsCode = {}) const
    {
        const auto stale = whyOutOfDate(m_operation);
        if (m_wantsJson) {
            QJsonObject object {{QStringLiteral("outcome"), QLatin1String(outcome)},
                                {QStringLiteral("value"), QJsonValue::Null},
                                {QStringLiteral("pttl_ms"), QJsonValue::Null}};
            insertStaleness(object, stale);
            if (programsCode)
                object[QStringLiteral("exit_code")] = *programsCode;
            printJson(object);
        }
        printError(m_operation.name + QStringLiteral(": ") + explanation);
        return exitCodeFor(m_operation, stale, ExitCode::No);
    }

    CacheOperation &m_operation; // Not owned.
    GuardedCache &m_cache;       // Not owned.
    const bool m_wantsJson;
};

} // namespace

QList<QCommandLineOption> guardedGetOptions()
{
    return {
        makeOption("ttl", "DURATION", CommandLine::tr("lifetime of the recomputed value")),
        makeOption("policy", "wait|stale|none",
                   CommandLine::tr("behaviour of the other clients meanwhile: wait for the value (wait, the "
                                   "default), use the old one while it is kept (stale), or run COMMAND too (none)")),
        makeOption("wait", "DURATION", CommandLine::tr("time to wait for the value of another client; default 30s")),
        makeOption(
            "stale-for", "DURATION",
            CommandLine::tr("time for which the old value is kept after its lifetime; default: the same time again")),
        Arguments::leaseOption(CommandLine::tr("lease of the guard; default 10s")),
    };
}

ExitCode getGuarded(CacheOperation &operation, const Arguments &arguments)
{
    const auto cache = guardedCacheFrom(operation, arguments);
    if (!cache)
        return printError(cache.error());
    // A connection lost during renewals is reported only with its consequence.
    QLoggingCategory::setFilterRules(QStringLiteral("latchkey.connection=false"));
    process::Launch launch;
    for (int i = 2; i < arguments.positionalCount(); ++i)
        launch.words += arguments.positionalBytes(i);
    launch.environment = serverEnvironment(arguments, {operation.server});
    launch.output = process::Launch::Channel::Piped;
    return GuardedGet(operation, **cache, arguments.wantsJson()).run(launch);
}

} // namespace latchkey::cli

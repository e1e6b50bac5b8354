#include "app/cli/guardedget.h"

#include "app/cli/capturedprogram.h"
#include "app/cli/output.h"
#include "core/base/json.h"
#include "core/base/unixsignals.h"

#include <QDeadlineTimer>

#include <csignal>
#include <cstdio>

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
using namespace std::chrono_literals;

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
                   QStringLiteral("unknown policy \"%1\"; the policies are wait, stale and none").arg(policy));
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
        return failure(ErrorKind::Usage, QStringLiteral("--policy none has no guard: no use for --wait or --lease"));
    if (options.policy != GuardPolicy::ServeStale && *staleFor)
        return failure(ErrorKind::Usage, QStringLiteral("--stale-for goes with --policy stale"));
    return options;
}

Result<std::unique_ptr<GuardedCache>> cacheFrom(const CacheOperation &operation, const Arguments &arguments)
{
    const auto lifetime = arguments.lease("ttl");
    if (!lifetime)
        return failure(lifetime.error());
    if (!*lifetime)
        return failure(ErrorKind::Usage,
                       QStringLiteral("what COMMAND gives is cached, and needs its lifetime: --ttl 5m"));
    const auto guard = guardOptionsFrom(arguments);
    if (!guard)
        return failure(guard.error());
    caches::CacheOptions options;
    options.key = operation.key;
    options.lifetime = *lifetime;
    options.guard = *guard;
    return caches::makeGuarded(std::move(options));
}

/// One run of the command: looks up, recomputes if it has to, stores.
class GuardedGet final
{
public:
    GuardedGet(CacheOperation &operation, GuardedCache &cache, bool wantsJson)
        : m_operation(operation)
        , m_cache(cache)
        , m_wantsJson(wantsJson)
    {}

    [[nodiscard]] ExitCode run(const QList<QByteArray> &words)
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
            return recompute(*found, words);
        case LookupOutcome::GaveUp:
            return printNothing("busy", QStringLiteral("another client is still recomputing the value"));
        }
        Q_UNREACHABLE();
    }

private:
    [[nodiscard]] ExitCode recompute(const Lookup &mine, const QList<QByteArray> &words)
    {
        base::UnixSignals unixSignals {SIGHUP, SIGINT, SIGTERM}; // From now on there is a guard to let go of.
        auto program = CapturedProgram::start(words);
        if (!program) {
            abandon(mine);
            return fail(m_operation, program.error(), m_wantsJson);
        }
        if (const auto told = waitFor(*program, mine, unixSignals)) {
            abandon(mine);
            return static_cast<ExitCode>(128 + *told);
        }
        if (program->exitCode() != 0) {
            abandon(mine);
            return printNothing("failed",
                                QStringLiteral("%1 ended with the exit code %2; nothing was cached")
                                    .arg(base::printable(words.front(), 100), QString::number(program->exitCode())),
                                program->exitCode());
        }
        return store(mine, program->output());
    }

    /// Renews the guard while the program runs. Where that fails, the program goes on all the same: its value is good
    /// for this caller, and the store finds out whether it may be cached.
    /// A signal that tells this command to end is passed on to the program; once that has ended, its number.
    std::optional<int> waitFor(CapturedProgram &program, const Lookup &mine, base::UnixSignals &unixSignals)
    {
        const auto pause = std::clamp<std::chrono::milliseconds>(m_cache.options().lease.duration() / 3, 1ms, 1h);
        constexpr std::chrono::milliseconds longestLook = 100ms; // A signal may come just before a wait.
        std::optional<int> told;
        QDeadlineTimer renewal(pause);
        while (!program.waitFor(std::min(pause, longestLook))) {
            for (auto number = unixSignals.take(); number; number = unixSignals.take()) {
                program.signal(*number);
                told = told.value_or(*number);
            }
            if (mine.guard && renewal.hasExpired()) {
                (void)m_operation.driver->run(m_cache.renew(*mine.guard));
                renewal.setRemainingTime(pause);
            }
        }
        return told;
    }

    [[nodiscard]] ExitCode store(const Lookup &mine, const QByteArray &value)
    {
        // The connection may have been idle for as long as the program ran, and forgotten by the server.
        m_operation.driver = std::make_unique<BlockingDriver>(std::vector {m_operation.server});
        const auto stored = m_operation.driver->run(m_cache.store(Content::ofValue(value), mine.guard));
        const bool isStored = stored && *stored == StoreOutcome::Stored;
        const ExitCode printed = print("recomputed", value, isStored);
        if (!stored) {
            complain(stored.error().during(m_operation.name).message
                     + (base::leavesOutcomeUnknown(stored.error().kind)
                            ? QStringLiteral("; whether the value was cached is unknown")
                            : QStringLiteral("; the value was not cached")));
            return ExitCode::Error;
        }
        if (!isStored)
            complain(m_operation.name
                     + QStringLiteral(": the guard's lease ended before the command did; the value was not cached"));
        return printed;
    }

    void abandon(const Lookup &mine)
    {
        if (mine.guard)
            (void)m_operation.driver->run(m_cache.abandon(*mine.guard));
    }

    /// isCached: the key holds it, and so has a lifetime to show.
    [[nodiscard]] ExitCode print(const char *outcome, const QByteArray &value, bool isCached)
    {
        if (!m_wantsJson) {
            printValue(value);
            return ExitCode::Yes;
        }
        QJsonObject object {{QStringLiteral("outcome"), QLatin1String(outcome)},
                            {QStringLiteral("pttl_ms"), QJsonValue::Null}};
        base::insertBytes(object, QStringLiteral("value"), value);
        const auto inserted = isCached ? insertLifetime(object, m_operation) : Result<void>();
        printJson(object);
        return inserted ? ExitCode::Yes : fail(m_operation, inserted.error(), false);
    }

    [[nodiscard]] ExitCode printNothing(const char *outcome, const QString &explanation,
                                        std::optional<int> programsCode = {}) const
    {
        if (m_wantsJson) {
            QJsonObject object {{QStringLiteral("outcome"), QLatin1String(outcome)},
                                {QStringLiteral("value"), QJsonValue::Null},
                                {QStringLiteral("pttl_ms"), QJsonValue::Null}};
            if (programsCode)
                object[QStringLiteral("exit_code")] = *programsCode;
            printJson(object);
        }
        complain(m_operation.name + QStringLiteral(": ") + explanation);
        return ExitCode::No;
    }

    CacheOperation &m_operation; // Not owned.
    GuardedCache &m_cache;       // Not owned.
    const bool m_wantsJson;
};

} // namespace

QList<QCommandLineOption> guardedGetOptions()
{
    return {
        {QStringLiteral("ttl"), QStringLiteral("The lifetime of what COMMAND gives."), QStringLiteral("DURATION")},
        {QStringLiteral("policy"), QStringLiteral("wait, stale or none."), QStringLiteral("wait|stale|none")},
        {QStringLiteral("wait"), QStringLiteral("How long to wait for another client."), QStringLiteral("DURATION")},
        {QStringLiteral("stale-for"), QStringLiteral("How long an old value is kept."), QStringLiteral("DURATION")},
        Arguments::leaseOption(),
    };
}

ExitCode getGuarded(CacheOperation &operation, const Arguments &arguments)
{
    const auto cache = cacheFrom(operation, arguments);
    if (!cache)
        return complain(cache.error());
    QList<QByteArray> words;
    for (int i = 2; i < arguments.positionalCount(); ++i)
        words += arguments.positionalBytes(i);
    return GuardedGet(operation, **cache, arguments.wantsJson()).run(words);
}

} // namespace latchkey::cli

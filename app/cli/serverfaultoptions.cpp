#include "app/cli/serverfaultoptions.h"

#include "app/cli/explorationtexts.h"
#include "app/cli/option.h"
#include "app/help/commandline.h"

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using races::Persistence;
using races::ServerFaultLimits;
using schedules::persistenceId;

namespace {

Result<Persistence> persistenceFrom(const QString &word)
{
    for (const Persistence persistence : {Persistence::None, Persistence::EverySec, Persistence::Always}) {
        if (word == persistenceId(persistence))
            return persistence;
    }
    return failure(ErrorKind::Usage,
                   CommandLine::tr("--persistence %1: neither none nor everysec nor always").arg(word));
}

/// Fails (Usage) if a limit is given and no promise that it limits: only the named promises permit faults of servers.
Result<void> checkPromises(const Arguments &arguments)
{
    struct Use
    {
        const char *option;
        QStringList promises;
    };
    const QString failover = QStringLiteral("failover-safe");
    const QString restart = QStringLiteral("restart-safe");
    for (const Use &use : {Use {"failovers", {failover}}, Use {"lost-writes", {failover, restart}},
                           Use {"restarts", {restart}}, Use {"persistence", {restart}},
                           Use {"restart-delay", {restart}}, Use {"partitions", {QStringLiteral("partition-safe")}},
                           Use {"clock-jumps", {QStringLiteral("server-clock-safe")}}}) {
        const QStringList named = arguments.texts("promise");
        const auto isNamed = [&](const QString &promise) { return named.contains(promise); };
        if (arguments.isSet(use.option) && std::ranges::none_of(use.promises, isNamed))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--%1: only with --promise %2")
                               .arg(QLatin1String(use.option), use.promises.join(CommandLine::tr(" or ", "promises"))));
    }
    return {};
}

} // namespace

QList<QCommandLineOption> serverFaultOptions()
{
    return {
        makeOption("failovers", "N",
                   CommandLine::tr("failovers per schedule; default 1; only for failover-safe. A replica takes over "
                                   "that lacks the last writes")),
        makeOption("lost-writes", "N",
                   CommandLine::tr("largest number of a server's last writes that a failover loses, or a restart with "
                                   "everysec; default 1")),
        makeOption("restarts", "N",
                   CommandLine::tr("restarts of servers per schedule; default 1; only for restart-safe")),
        makeOption("persistence", "none|everysec|always",
                   CommandLine::tr("what a restarted server has saved: none, the default: it is empty; everysec: it "
                                   "lacks some of its last writes; always: nothing is lost")),
        makeOption("restart-delay", "none|lease",
                   CommandLine::tr("how long a restarted server stays away: none, the default; lease: until all leases "
                                   "from before the restart are over")),
        makeOption("partitions", "N", CommandLine::tr("partitions per schedule; default 1; only for partition-safe")),
        makeOption("clock-jumps", "N",
                   CommandLine::tr("jumps of a server's clock per schedule; default 1; only for server-clock-safe")),
    };
}

Result<ServerFaultLimits> serverFaultsFrom(const Arguments &arguments)
{
    ServerFaultLimits limits;
    struct Count
    {
        const char *option;
        int minimum;
        int &value;
    };
    for (const Count &count : {Count {"failovers", 0, limits.failovers}, Count {"lost-writes", 1, limits.lostWrites},
                               Count {"restarts", 0, limits.restarts}, Count {"clock-jumps", 0, limits.clockJumps},
                               Count {"partitions", 0, limits.partitions}}) {
        const auto number = numberFrom(arguments, count.option, count.minimum, ServerFaultLimits::maxCount);
        if (!number)
            return failure(number.error());
        count.value = number->value_or(count.value);
    }
    const QString delay = arguments.isSet("restart-delay") ? arguments.text("restart-delay") : QStringLiteral("none");
    limits.restartsAfterLease = delay == u"lease";
    if (delay != u"none" && delay != u"lease")
        return failure(ErrorKind::Usage, CommandLine::tr("--restart-delay %1: neither none nor lease").arg(delay));
    if (arguments.isSet("persistence")) {
        const auto persistence = persistenceFrom(arguments.text("persistence"));
        if (!persistence)
            return failure(persistence.error());
        limits.persistence = *persistence;
    }
    if (const auto checked = checkPromises(arguments); !checked)
        return failure(checked.error());
    return limits;
}

Result<ServerFaultLimits> serverFaultsOfProgramFrom(const Arguments &arguments)
{
    // A program's connections stay open in a fault, so a server that cannot be reached has no meaning for it.
    if (arguments.isSet("restart-delay"))
        return failure(ErrorKind::Usage, CommandLine::tr("--restart-delay: not for a program"));
    return serverFaultsFrom(arguments);
}

QJsonObject toJson(const ServerFaultLimits &limits)
{
    return {
        {QStringLiteral("failovers"), limits.failovers},
        {QStringLiteral("lost_writes"), limits.lostWrites},
        {QStringLiteral("restarts"), limits.restarts},
        {QStringLiteral("persistence"), persistenceId(limits.persistence)},
        {QStringLiteral("restart_delay"), limits.restartsAfterLease ? QStringLiteral("lease") : QStringLiteral("none")},
        {QStringLiteral("clock_jumps"), limits.clockJumps},
        {QStringLiteral("partitions"), limits.partitions},
    };
}

} // namespace latchkey::cli

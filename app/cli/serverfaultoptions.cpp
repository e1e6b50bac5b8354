#include "app/cli/serverfaultoptions.h"

#include "app/cli/explorationtexts.h"
#include "app/help/commandline.h"

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using races::Persistence;
using races::ServerFaultLimits;

namespace {

QString persistenceId(Persistence persistence)
{
    switch (persistence) {
    case Persistence::None:
        return QStringLiteral("none");
    case Persistence::EverySec:
        return QStringLiteral("everysec");
    case Persistence::Always:
        return QStringLiteral("always");
    }
    Q_UNREACHABLE();
}

} // namespace

QList<QCommandLineOption> serverFaultOptions()
{
    return {
        {QStringLiteral("failovers"), QStringLiteral("Failovers per schedule."), QStringLiteral("N")},
        {QStringLiteral("lost-writes"), QStringLiteral("Last writes that a failover or restart loses."),
         QStringLiteral("N")},
        {QStringLiteral("restarts"), QStringLiteral("Restarts of servers per schedule."), QStringLiteral("N")},
        {QStringLiteral("persistence"), QStringLiteral("Writes that a restarted server has saved."),
         QStringLiteral("none|everysec|always")},
        {QStringLiteral("restart-delay"), QStringLiteral("How long a restarted server stays away."),
         QStringLiteral("none|lease")},
        {QStringLiteral("partitions"), QStringLiteral("Partitions per schedule."), QStringLiteral("N")},
        {QStringLiteral("clock-jumps"), QStringLiteral("Jumps of a server's clock per schedule."), QStringLiteral("N")},
    };
}

Result<ServerFaultLimits> serverFaultsFrom(const Arguments &arguments)
{
    ServerFaultLimits limits;
    struct Count
    {
        const char *option;
        int least;
        int &value;
    };
    for (const Count &count : {Count {"failovers", 0, limits.failovers}, Count {"lost-writes", 1, limits.lostWrites},
                               Count {"restarts", 0, limits.restarts}, Count {"clock-jumps", 0, limits.clockJumps},
                               Count {"partitions", 0, limits.partitions}}) {
        const auto number = numberFrom(arguments, count.option, count.least, ServerFaultLimits::most);
        if (!number)
            return failure(number.error());
        count.value = number->value_or(count.value);
    }
    const QString delay = arguments.isSet("restart-delay") ? arguments.text("restart-delay") : QStringLiteral("none");
    limits.restartsAfterLease = delay == u"lease";
    if (delay != u"none" && delay != u"lease")
        return failure(ErrorKind::Usage, CommandLine::tr("--restart-delay %1: neither none nor lease").arg(delay));
    if (!arguments.isSet("persistence"))
        return limits;
    const QString word = arguments.text("persistence");
    for (const Persistence persistence : {Persistence::None, Persistence::EverySec, Persistence::Always}) {
        limits.persistence = persistence;
        if (word == persistenceId(persistence))
            return limits;
    }
    return failure(ErrorKind::Usage,
                   CommandLine::tr("--persistence %1: neither none nor everysec nor always").arg(word));
}

Result<void> checkServerFaultsOfProgram(const Arguments &arguments)
{
    for (const QCommandLineOption &option : serverFaultOptions()) {
        const QString name = option.names().constFirst();
        if (arguments.isSet(name.toLatin1().constData()))
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: not for a program").arg(name));
    }
    const QStringList promises = arguments.texts("promise");
    for (const races::Rule *rule : races::lockRules()) {
        if (rule->faults().includeServers() && promises.contains(rule->promise()))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--promise %1: faults of servers are explored for recipes, not for programs")
                               .arg(rule->promise()));
    }
    return {};
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

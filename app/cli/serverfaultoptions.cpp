#include "app/cli/serverfaultoptions.h"

#include "app/cli/explorationtexts.h"
#include "app/help/commandline.h"

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using races::ServerFaultLimits;

QList<QCommandLineOption> serverFaultOptions()
{
    return {
        {QStringLiteral("failovers"), QStringLiteral("Failovers per schedule."), QStringLiteral("N")},
        {QStringLiteral("lost-writes"), QStringLiteral("Last writes that a failover loses."), QStringLiteral("N")},
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
    for (const Count &count : {Count {"failovers", 0, limits.failovers}, Count {"lost-writes", 1, limits.lostWrites}}) {
        const auto number = numberFrom(arguments, count.option, count.least, ServerFaultLimits::most);
        if (!number)
            return failure(number.error());
        count.value = number->value_or(count.value);
    }
    return limits;
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
    };
}

} // namespace latchkey::cli

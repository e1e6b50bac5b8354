#include "app/cli/searchplan.h"

#include "app/cli/clocklibrary.h"
#include "app/cli/explorationtexts.h"
#include "app/cli/serverfaultoptions.h"
#include "app/help/commandline.h"

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using programs::Program;

namespace {

constexpr int maxFaults = 10;

/// Number of schedules replayed for a promise that holds: replays with real processes are slow.
constexpr int samples = 4;

/// Returns an option as a number. `otherwise`: default value.
Result<int> countFrom(const Arguments &arguments, const char *option, int minimum, int maximum, int otherwise)
{
    return numberFrom(arguments, option, minimum, maximum).map([&](std::optional<int> number) {
        return number.value_or(otherwise);
    });
}

/// Error (Usage): an option took the following -- as its value, or a pattern that would match every key is empty.
Result<void> checkPatterns(const Arguments &arguments)
{
    for (const char *option : {"resource", "data", "lock", "promise", "inside", "outside"}) {
        if (arguments.texts(option).contains(QStringLiteral("--")))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--%1: the value is missing before --").arg(QLatin1String(option)));
    }
    for (const char *option : {"data", "lock"}) {
        if (arguments.texts(option).contains(QString()))
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: the pattern is empty").arg(QLatin1String(option)));
    }
    return {};
}

Result<Program> programFrom(const Arguments &arguments)
{
    Program program;
    program.clockLibrary = clockLibrary();
    program.words = *arguments.commandAfterDashes();
    if (program.words.isEmpty())
        return failure(ErrorKind::Usage, CommandLine::tr("the program is missing; it follows --"));
    if (const auto checked = checkPatterns(arguments); !checked)
        return failure(checked.error());
    program.resource = arguments.bytes("resource");
    for (const QString &pattern : arguments.texts("data"))
        program.data += pattern.toUtf8();
    for (const QString &pattern : arguments.texts("lock"))
        program.locks += pattern.toUtf8();
    if (arguments.isSet("outside") && !arguments.isSet("inside"))
        return failure(ErrorKind::Usage, CommandLine::tr("--outside: only with --inside"));
    for (const auto &[option, patterns] :
         {std::pair("inside", &program.entering), std::pair("outside", &program.leaving)}) {
        for (const QString &text : arguments.texts(option)) {
            auto pattern = schedules::CommandPattern::parse(text.toUtf8());
            if (!pattern)
                return failure(pattern.error().during(QStringLiteral("--%1 \"%2\"").arg(QLatin1String(option), text)));
            patterns->push_back(std::move(*pattern));
        }
    }
    struct Count
    {
        const char *option;
        int minimum;
        int maximum;
        int &value;
    };
    for (const Count &count : {Count {"crashes", 0, maxFaults, program.limits.crashes},
                               Count {"expirations", 0, maxFaults, program.limits.expirations},
                               Count {"timer-steps", 0, maxFaults, program.limits.timerSteps},
                               Count {"lost-replies", 0, maxFaults, program.limits.lostReplies},
                               Count {"commands", 1, 100'000, program.maxCommands},
                               Count {"servers", 1, races::maxServers, program.servers}}) {
        const auto number = countFrom(arguments, count.option, count.minimum, count.maximum, count.value);
        if (!number)
            return failure(number.error());
        count.value = *number;
    }
    const auto port = countFrom(arguments, "fixed-port", 1, 65'535, 0);
    if (!port)
        return failure(port.error());
    program.fixedPort = static_cast<quint16>(*port);
    if (program.servers > 1 && program.fixedPort != 0)
        return failure(ErrorKind::Usage, CommandLine::tr("--fixed-port: only with one server"));
    if (program.servers > 1 && !program.entering.empty())
        return failure(ErrorKind::Usage,
                       CommandLine::tr("--inside: only with one server, because the reply of one server does not show "
                                       "whether the client has a majority; let the program send ECHO latchkey:inside"));
    const auto preemptions = numberFrom(arguments, "preemptions", 0, maxFaults);
    if (!preemptions)
        return failure(preemptions.error());
    program.limits.preemptions = *preemptions;
    return program;
}

} // namespace

Result<SearchPlan> searchPlanFrom(const Arguments &arguments)
{
    if (arguments.positionalCount() > arguments.commandAfterDashes()->size())
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("%1: either a recipe or a program, which goes behind --").arg(arguments.positionalText(0)));
    if (arguments.isSet("without"))
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("--without: not for a program; --crashes 0 and --expirations 0 leave faults out"));
    for (const char *other : {"play", "form"}) {
        if (arguments.isSet(other))
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: not for a program").arg(QLatin1String(other)));
    }
    if (arguments.isSet("progress") && !arguments.wantsJson())
        return failure(ErrorKind::Usage, CommandLine::tr("--progress: only with --json"));
    auto program = programFrom(arguments);
    if (!program)
        return failure(std::move(program.error()));
    const auto clients = countFrom(arguments, "clients", 1, races::maxClients - 1, 2);
    if (!clients)
        return failure(clients.error());
    const auto maximum = numberFrom(arguments, "max", 1, 2'000'000'000);
    if (!maximum)
        return failure(maximum.error());
    const auto longest = arguments.duration("for");
    if (!longest)
        return failure(longest.error());
    SearchPlan plan {std::move(*program), *clients, {}, *longest};
    plan.options.promises = arguments.texts("promise");
    plan.options.samples = samples;
    const auto serverFaults = serverFaultsOfProgramFrom(arguments);
    if (!serverFaults)
        return failure(serverFaults.error());
    plan.options.serverFaults = *serverFaults;
    const auto walks = numberFrom(arguments, "random", 1, 1'000'000);
    if (!walks)
        return failure(walks.error());
    plan.options.walks = static_cast<std::size_t>(walks->value_or(0));
    if (*walks && *maximum)
        return failure(ErrorKind::Usage, CommandLine::tr("--max: only without --random, which has a bound of its own"));
    if (*maximum)
        plan.options.bounds.states = static_cast<std::size_t>(**maximum);
    return plan;
}

} // namespace latchkey::cli

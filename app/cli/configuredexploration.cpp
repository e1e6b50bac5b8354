#include "app/cli/configuredexploration.h"

#include "app/cli/explorationtexts.h"
#include "app/cli/exploreconfig.h"
#include "app/cli/output.h"
#include "app/cli/programexploration.h"
#include "app/help/commandline.h"

#include <algorithm>
#include <array>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;

namespace {

/// Refuses the options that the file sets, and a program or recipe beside the file. Error: Usage.
Result<void> checkBesideConfig(const Arguments &arguments, const Command &command)
{
    constexpr std::array usable {"config", "save", "junit", "sarif", "html", "baseline", "write-baseline", "progress"};
    for (const QCommandLineOption &option : command.options) {
        const QByteArray name = option.names().constFirst().toLatin1();
        const bool isUsable = std::ranges::any_of(usable, [&](const char *each) { return name == each; });
        if (!isUsable && arguments.isSet(name.constData()))
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: not with --config").arg(QLatin1String(name)));
    }
    if (arguments.positionalCount() > 0 || arguments.commandAfterDashes())
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("--config: the file names the programs; omit %1").arg(arguments.positionalText(0)));
    if (arguments.isSet("progress") && !arguments.wantsJson())
        return failure(ErrorKind::Usage, CommandLine::tr("--progress: only with --json"));
    return {};
}

/// Returns the more severe exit code: wrong usage, then no answer, then a broken promise.
ExitCode moreSevere(ExitCode a, ExitCode b)
{
    constexpr std::array order {ExitCode::Yes, ExitCode::No, ExitCode::Error, ExitCode::Usage};
    return *std::max(std::ranges::find(order, a), std::ranges::find(order, b));
}

} // namespace

ExitCode exploreFromConfig(const Arguments &arguments, const Command &command)
{
    if (const auto checked = checkBesideConfig(arguments, command); !checked)
        return printErrorReport(checked.error(), arguments);
    auto programs = programsOfConfig(arguments, command);
    if (!programs)
        return printErrorReport(programs.error().during(QStringLiteral("--config")), arguments);
    if (const auto made = makeStoryFolder(arguments); !made)
        return printErrorReport(made.error(), arguments);
    QStringList baselines;
    for (const ConfiguredProgram &program : *programs) {
        if (program.arguments.isSet("baseline"))
            baselines += program.arguments.text("baseline");
    }
    auto reports = ExplorationReports::from(arguments, baselines);
    if (!reports)
        return printErrorReport(reports.error(), arguments);

    ExitCode worst = ExitCode::Yes;
    std::size_t explored = 0;
    for (ConfiguredProgram &program : *programs) {
        if (explored > 0 && !arguments.wantsJson())
            printLine({});
        const SearchOutcome outcome = searchProgram(program.plan, program.arguments, *reports);
        worst = moreSevere(worst, outcome.exitCode);
        ++explored;
        if (outcome.isStopped)
            break;
    }
    if (explored < programs->size()) // The other programs have no verdict.
        worst = moreSevere(worst, ExitCode::Error);
    return saveReports(*reports, worst, arguments);
}

} // namespace latchkey::cli

// explore: the race finder.

#include "app/cli/command.h"
#include "app/cli/configuredexploration.h"
#include "app/cli/exploration.h"
#include "app/cli/explorationreports.h"
#include "app/cli/explorationtexts.h"
#include "app/cli/exploreforms.h"
#include "app/cli/exploreoptions.h"
#include "app/cli/option.h"
#include "app/cli/output.h"
#include "app/cli/programexploration.h"
#include "app/cli/serverfaultoptions.h"
#include "app/cli/storyfiles.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/explore/races/finder.h"
#include "core/explore/races/timeshare.h"
#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/violationtext.h"
#include "core/foundation/base/unixsignals.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFileInfo>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;
using races::Finder;
using races::PromiseResult;

namespace {

int maxClientsOf(const Finder &finder)
{
    int maximum = finder.subjects().front().clients;
    for (const PromiseResult &result : finder.results())
        maximum = std::max(maximum, result.clients);
    return maximum;
}

void printAsJson(const Finder &finder, const Exploration &exploration, const SavedStories &saved,
                 const Arguments &arguments, locks::CompareForm form, const ExplorationReports &reports)
{
    QJsonObject answer {
        {QStringLiteral("recipe"), finder.subject().recipe},
        {QStringLiteral("clients"), maxClientsOf(finder)},
        {QStringLiteral("without"), QJsonArray::fromStringList(arguments.texts("without"))},
        {QStringLiteral("server_faults"), toJson(finder.serverFaultLimits())},
        {QStringLiteral("schedules"), schedulesOf(finder)},
        {QStringLiteral("complete"), finder.isComplete() && !exploration.isCancelled()},
        {QStringLiteral("seconds"), exploration.seconds()},
        {QStringLiteral("promises"), reports.marked(promisesJson(finder, saved))},
    };
    if (arguments.isSet("form"))
        answer[QStringLiteral("form")] = locks::compareFormId(form);
    printJson(answer);
}

/// Returns the limits of the schedules in which a promise was checked. Some promises permit faults of servers.
QString boundsText(const PromiseResult &result, const schedules::ServerFaultLimits &limits)
{
    const QString clients = schedules::clientsText(result.clients);
    const QString faults = schedules::limitsText({result.promise}, limits);
    return faults.isEmpty() ? clients : CommandLine::tr("%1, at most %2", "limits of a search").arg(clients, faults);
}

/// Returns the verdict on a promise, to be printed after its name and claim.
QString verdictText(const PromiseResult &result, const schedules::ServerFaultLimits &limits, bool isCancelled)
{
    switch (result.verdict) {
    case races::Verdict::NotApplicable:
        return CommandLine::tr("does not apply");
    case races::Verdict::Broken:
        return CommandLine::tr("BROKEN with %1: %2")
            .arg(schedules::clientsText(result.clients), schedules::translatedViolation(result.violation));
    case races::Verdict::Holds:
        break;
    }
    if (result.complete)
        return CommandLine::tr("holds in all %1 of %2")
            .arg(schedulesText(result.schedules), boundsText(result, limits));
    return CommandLine::tr("holds in the first %1 of %2; %3")
        .arg(statesText(static_cast<double>(result.states)), boundsText(result, limits),
             isCancelled ? CommandLine::tr("stopped") : CommandLine::tr("limit reached"));
}

/// Prints the results as text. Promises that do not apply are printed only if the user has named the promises.
void printText(const Finder &finder, const Exploration &exploration, const SavedStories &saved,
               const Arguments &arguments, locks::CompareForm form, const ExplorationReports &reports)
{
    const races::Subject &subject = finder.subject();
    printLine(subject.servers > 1 ? CommandLine::tr("%1, servers #1 to #%2").arg(subject.recipe).arg(subject.servers)
                                  : subject.recipe);
    if (arguments.isSet("form"))
        printLine(formText(form));
    if (arguments.isSet("without"))
        printLine(CommandLine::tr("left out: %1").arg(arguments.texts("without").join(QStringLiteral(", "))));
    for (const PromiseResult &result : finder.results()) {
        if (result.verdict == races::Verdict::NotApplicable && !arguments.isSet("promise"))
            continue;
        printLine(
            QStringLiteral("\n  %1 %2 %3")
                .arg(result.promise, -20)
                .arg(help::padded(result.claimed ? CommandLine::tr("claimed") : CommandLine::tr("not claimed"), 12),
                     verdictText(result, finder.serverFaultLimits(), exploration.isCancelled())));
        if (const QString remark = reports.remarkOn(result.promise); !remark.isEmpty())
            printLine(QString(6, u' ') + remark);
        if (!result.counterexample)
            continue;
        printSteps(*result.counterexample);
        if (const auto path = saved.find(result.promise); path != saved.end())
            printLine(QString(6, u' ') + CommandLine::tr("saved as %1").arg(path->second));
    }
    for (const QString &promise : unansweredOf(finder))
        printLine(QStringLiteral("\n  %1 %2").arg(promise, -20).arg(CommandLine::tr("unknown: not reached")));
    const QString steps = stepsText(static_cast<double>(finder.steps()));
    const QString seconds = QString::number(exploration.seconds(), 'f', 2);
    if (finder.steps() == 0)
        printLine(u'\n' + CommandLine::tr("%1 in %2 s.").arg(steps, seconds));
    else if (finder.executedCommands() == 1)
        printLine(u'\n' + CommandLine::tr("%1 in %2 s; 1 server request.").arg(steps, seconds));
    else
        printLine(u'\n'
                  + CommandLine::tr("%1 in %2 s; %3 server requests.")
                        .arg(steps, seconds, countText(static_cast<double>(finder.executedCommands()))));
}

/// Returns the faults that --without excludes. Error: Usage.
base::Result<races::ExcludedFaults> excludedFaultsFrom(const Arguments &arguments)
{
    races::ExcludedFaults excluded;
    for (const QString &fault : arguments.texts("without")) {
        if (fault != u"crashes" && fault != u"lapses")
            return base::failure(base::ErrorKind::Usage,
                                 CommandLine::tr("--without %1: neither crashes nor lapses").arg(fault));
        (fault == u"crashes" ? excluded.crashes : excluded.lapses) = true;
    }
    return excluded;
}

/// Returns the subjects. `clients`: absent for as many clients as can be explored within the limits.
base::Result<std::vector<races::Subject>> subjectsFrom(const QString &recipe, std::optional<int> clients,
                                                       locks::CompareForm form)
{
    if (!clients)
        return races::subjectsFor(recipe, form);
    auto subject = races::subjectFor(recipe, *clients, form);
    if (!subject)
        return base::failure(std::move(subject.error()));
    return std::vector {std::move(*subject)};
}

/// Returns a report with the subject and the bounds, for ExplorationReports.
reports::ExplorationReport emptyReport(const std::vector<races::Subject> &subjects, const Finder::Options &options,
                                       locks::CompareForm form, const Arguments &arguments)
{
    reports::ExplorationReport report;
    report.subject = subjects.front().recipe;
    if (arguments.isSet("form"))
        report.form = locks::compareFormId(form);
    report.bounds = {
        {QStringLiteral("clients"), subjects.back().clients},
        {QStringLiteral("states"), qint64(options.bounds.states)},
        {QStringLiteral("without"), QJsonArray::fromStringList(arguments.texts("without"))},
        {QStringLiteral("server_faults"), toJson(options.serverFaults)},
    };
    return report;
}

/// The result for one form.
struct Explored
{
    ExitCode exitCode = ExitCode::Yes;
    bool isOver = false; ///< Whether the exploration of further forms is useless.
};

/// Explores one form. Saves and prints the results.
Explored exploreIn(locks::CompareForm form, std::vector<races::Subject> subjects, const Finder::Options &options,
                   const Arguments &arguments, ExplorationReports &reports)
{
    reports::ExplorationReport report = emptyReport(subjects, options, form, arguments);
    const base::UnixSignals interrupts({SIGINT, SIGTERM, SIGHUP}); // Installed before the first server is started.
    auto finder = Finder::create(std::move(subjects), options);
    if (!finder) {
        if (finder.error().kind != base::ErrorKind::Usage)
            reports.addFailure(std::move(report), finder.error());
        return {printErrorReport(finder.error(), arguments), true};
    }

    const ProgressFormat progress = arguments.isSet("progress")                            ? ProgressFormat::Json
                                  : !arguments.wantsJson() && ::isatty(STDERR_FILENO) != 0 ? ProgressFormat::Text
                                                                                           : ProgressFormat::None;
    const Exploration exploration(**finder, interrupts, progress);
    QCoreApplication::exec();
    reports.add(std::move(report), **finder, exploration, [&](const PromiseResult &result) {
        return verdictText(result, (*finder)->serverFaultLimits(), exploration.isCancelled());
    });
    if (exploration.error())
        return {printErrorReport(exploration.error()->during(QStringLiteral("explore ") + (*finder)->subject().recipe),
                                 arguments),
                true};

    const auto saved = arguments.isSet("save") ? saveStories(**finder, arguments.text("save")) : SavedStories();
    if (arguments.wantsJson())
        printAsJson(**finder, exploration, saved.value_or(SavedStories()), arguments, form, reports);
    else
        printText(**finder, exploration, saved.value_or(SavedStories()), arguments, form, reports);
    if (!saved) // The error is reported last, so that the results are not lost.
        return {printErrorReport(saved.error(), arguments), true};
    if (reports.isBroken())
        return {ExitCode::No, exploration.isCancelled()};
    const bool isWhole = (*finder)->isComplete() && !exploration.isCancelled();
    return {isWhole ? ExitCode::Yes : ExitCode::Error, exploration.isCancelled()};
}

ExitCode explore(const Arguments &arguments)
{
    const auto clients = numberFrom(arguments, "clients", 1, races::maxClients - 1);
    if (!clients)
        return printErrorReport(clients.error(), arguments);
    const auto maximum = numberFrom(arguments, "max", 1, 2'000'000'000);
    if (!maximum)
        return printErrorReport(maximum.error(), arguments);
    const auto longest = arguments.duration("for");
    if (!longest)
        return printErrorReport(longest.error(), arguments);
    const auto excluded = excludedFaultsFrom(arguments);
    if (!excluded)
        return printErrorReport(excluded.error(), arguments);
    if (arguments.isSet("progress") && !arguments.wantsJson())
        return printErrorReport({base::ErrorKind::Usage, CommandLine::tr("--progress: only with --json")}, arguments);
    if (const auto made = makeStoryFolder(arguments); !made)
        return printErrorReport(made.error(), arguments);
    const auto serverFaults = serverFaultsFrom(arguments);
    if (!serverFaults)
        return printErrorReport(serverFaults.error(), arguments);
    const auto forms = exploredForms(arguments);
    if (!forms)
        return printErrorReport(forms.error(), arguments);
    if (arguments.isSet("save") && forms->size() > 1)
        return printErrorReport({base::ErrorKind::Usage, CommandLine::tr("--save: only with one form at a time")},
                                arguments);

    Finder::Options options;
    options.promises = arguments.texts("promise");
    options.excluded = *excluded;
    options.serverFaults = *serverFaults;
    if (*maximum) {
        options.bounds.states = static_cast<std::size_t>(**maximum);
        options.cheap.states = std::min(options.cheap.states, options.bounds.states);
    }
    auto reports = ExplorationReports::from(arguments);
    if (!reports)
        return printErrorReport(reports.error(), arguments);
    ExitCode worst = ExitCode::Yes; // A refutation in one form counts, whatever the result of the other form.
    const QDeadlineTimer deadline = *longest ? QDeadlineTimer(**longest) : QDeadlineTimer(QDeadlineTimer::Forever);
    auto formsLeft = static_cast<qsizetype>(forms->size());
    for (const locks::CompareForm form : *forms) {
        options.deadline = races::shareOf(deadline, formsLeft--);
        auto subjects = subjectsFrom(arguments.positionalText(0), *clients, form);
        if (!subjects)
            return printErrorReport(subjects.error(), arguments);
        const Explored explored = exploreIn(form, std::move(*subjects), options, arguments, *reports);
        if (explored.exitCode != ExitCode::Yes)
            worst = explored.exitCode;
        if (explored.isOver)
            break;
    }
    return saveReports(*reports, worst, arguments);
}

ExitCode runExplore(const Arguments &arguments)
{
    if (arguments.isSet("config"))
        return exploreFromConfig(arguments, exploreCommand());
    if (arguments.commandAfterDashes())
        return exploreProgram(arguments);
    if (arguments.positionalCount() > 1)
        return printErrorReport(
            {base::ErrorKind::Usage, CommandLine::tr("unexpected argument \"%1\"; a program to explore goes behind --")
                                         .arg(arguments.positionalText(1))},
            arguments);
    for (const QCommandLineOption &option : programOptions()) {
        const QString name = option.names().constFirst();
        if (arguments.isSet(name.toLatin1().constData()))
            return printErrorReport(
                {base::ErrorKind::Usage, CommandLine::tr("--%1: only for a program, which goes behind --").arg(name)},
                arguments);
    }
    if (arguments.positionalCount() == 1 && QFileInfo(arguments.positionalText(0)).isFile())
        return printErrorReport(
            {base::ErrorKind::Usage, CommandLine::tr("a program to explore goes behind --: latchkey-cli explore -- %1")
                                         .arg(arguments.positionalText(0))},
            arguments);
    if (!arguments.isSet("play"))
        return arguments.positionalCount() > 0
                 ? explore(arguments)
                 : printErrorReport(
                       {base::ErrorKind::Usage,
                        CommandLine::tr("a RECIPE, -- COMMAND or --play is missing; see latchkey-cli explore "
                                        "--help")},
                       arguments);
    for (const QCommandLineOption &option : recipeOptions() + serverFaultOptions()) {
        const QString name = option.names().constFirst();
        if (arguments.isSet(name.toLatin1().constData()))
            return printErrorReport({base::ErrorKind::Usage, CommandLine::tr("--%1: not with --play").arg(name)},
                                    arguments);
    }
    if (arguments.positionalCount() > 0)
        return printErrorReport(
            {base::ErrorKind::Usage,
             CommandLine::tr("%1: the story names its recipe; omit RECIPE").arg(arguments.positionalText(0))},
            arguments);
    return playStory(arguments.text("play"), arguments.wantsJson());
}

constexpr auto helpText = QT_TRANSLATE_NOOP(
    "CommandLine",
    R"help(Finds races in a recipe. It starts a private server and lets clients use the recipe in every possible order, with crashes and ended leases at every point. For each promise it prints whether the promise holds in all schedules, or the shortest schedule that breaks it. No other server is used. Such a schedule can be saved as a story: a JSON file with every command, reply and fault in order. --play, or any other program, can play it.

{options}

COMMAND after -- is any program that uses Redis. Each client is a process of it, with its own server; its address is in the environment: REDIS_URL, LATCHKEY_URL, REDIS_HOST and REDIS_PORT, and REDIS_SOCKET for a Unix socket. With --servers each client has several servers. The search learns what the program does after each reply, and tries every order of commands. It repeats each result with real processes before it prints it. The program marks that it is inside by ECHO latchkey:inside:NAME, and by ECHO latchkey:outside:NAME before it releases the lock. Promises of a program: mutual-exclusion, lost-update, owner-only-release, no-immortal-key, crash-release; and, if --promise names them, failover-safe, restart-safe, server-clock-safe, partition-safe.

{options from resource}

With --json {recipe, clients, without, server_faults, schedules, complete, seconds, promises: [{id, clients, claimed, verdict, complete, known, mended, complaint, reason, beforehand, counterexample: [{client, command, reply, inside} | {client, does, reply} | {fault, client}], story}], with --form also form: script|delifeq|delex}; of a program also program, clock: controlled|partly-controlled|not-controlled, servers, fixed_port, crashes, expirations, timer_steps, lost_replies, preemptions, random, steps, starts, locks: [{key, is_lock, reason}], failed_ends: [{exit_code, printed}], livelock, late_retries, livelock_alone, livelock_schedule: null|{counterexample, story}, clients_ended, deadlock: null|{counterexample, story}, stopped, unanswered: [id], and no form; with --play {title, outcome: passed|failed, steps, reply}.

Exit codes: 0 no claimed promise is broken, except those of --baseline; 1 one is, or clients of a program that ends alone block each other for ever; 2 wrong usage; 3 it could not be explored, was stopped, a bound was hit, or no promise of a program applies. With --play: 0 passed, 1 failed. With --config: 3 if a program ends with it, else 1 if one does.

Examples:
  latchkey-cli explore timestamp-naive --clients 3 --promise mutual-exclusion
  latchkey-cli explore token --json
  latchkey-cli explore token-check-then-delete --save stories
  latchkey-cli explore --resource order:1 -- python3 worker.py
  latchkey-cli explore --inside 'SET lock * NX' --outside 'DEL lock -> any' -- python3 worker.py
  latchkey-cli explore --resource order:1 --junit races.xml --sarif races.sarif -- python3 worker.py
  latchkey-cli explore --promise failover-safe -- python3 worker.py
  latchkey-cli explore --html pages -- python3 worker.py
  latchkey-cli explore --baseline known.json --write-baseline known.json -- python3 worker.py
  latchkey-cli explore --config explore.json --junit races.xml
  latchkey-cli explore --play stories/token-check-then-delete.owner-only-release.json
)help");

} // namespace

Command exploreCommand()
{
    return {
        "explore",
        {"[RECIPE | -- COMMAND...]", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "finds races in a recipe or in any program"),
        helpText,
        recipeOptions()
            + QList<QCommandLineOption> {makeOption("play", "FILE",
                                                    CommandLine::tr("plays a story on a private server instead")),
                                         makeOption("config", "FILE",
                                                    CommandLine::tr("explores the programs of a JSON file: {programs: "
                                                                    "[{name, command: [WORD], OPTION: VALUE…}], "
                                                                    "defaults: {OPTION: VALUE…}}, one after the other "
                                                                    "(with --json an object for each)"))}
            + serverFaultOptions() + programOptions(),
        runExplore,
        RecipeFamily::Any,
        schedules::promiseDefinitions,
    };
}

} // namespace latchkey::cli

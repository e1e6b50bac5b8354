#include "app/cli/programexploration.h"

#include "app/cli/exploration.h"
#include "app/cli/explorationtexts.h"
#include "app/cli/output.h"
#include "app/cli/serverfaultoptions.h"
#include "app/cli/storyfiles.h"
#include "app/help/commandline.h"
#include "core/explore/programs/exploredprogram.h"
#include "core/explore/races/rules.h"
#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/violationtext.h"
#include "core/recipes/caches/catalogue.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <csignal>
#include <unistd.h>

namespace latchkey::cli {

using base::ErrorKind;
using help::CommandLine;
using programs::Program;
using races::Finder;
using races::PromiseResult;
using schedules::ClockControl;

namespace {

/// Returns the limits. Timer steps are included only if the program has waited for a time.
QString boundsText(const SearchPlan &plan, const races::ExternalProgram &program)
{
    schedules::FaultLimits limits = plan.program.limits;
    limits.timerSteps = program.hasWaited() ? limits.timerSteps : 0;
    return schedules::limitsText(plan.clients, plan.program.servers, limits);
}

/// Returns the limits of the schedules in which a promise was checked. Some promises permit faults of servers, or
/// exclude that a lease ends while its holder is alive.
QString boundsText(const QString &promise, const SearchPlan &plan, const races::ExternalProgram &program)
{
    QString bounds = boundsText(plan, program);
    const auto rules = program.rules();
    const auto rule = std::ranges::find_if(rules, [&](const races::Rule *each) { return each->promise() == promise; });
    if (rule == rules.end())
        return bounds;
    const races::Faults faults = (*rule)->faults();
    if (const QString serverFaults = schedules::limitsText({promise}, plan.options.serverFaults);
        !serverFaults.isEmpty())
        bounds = CommandLine::tr("%1, at most %2", "limits of a search").arg(bounds, serverFaults);
    return faults.lapses == races::Lapses::Due && plan.program.limits.expirations > 0
             ? CommandLine::tr("%1, and no lease that ends under a living holder", "limits of a search").arg(bounds)
             : bounds;
}

QString notApplicableReason(const PromiseResult &result, const Program &program)
{
    if (!result.reason.isEmpty())
        return CommandLine::tr("does not apply: %1").arg(result.reason.toString());
    if (result.promise != u"lost-update")
        return program.entering.empty() ? CommandLine::tr("does not apply: the program sent no ECHO latchkey:inside")
                                        : CommandLine::tr("does not apply: no command of the program matches --inside");
    return program.resource.isEmpty()
             ? CommandLine::tr("does not apply: --resource is missing")
             : CommandLine::tr("does not apply: the program did not use %1").arg(base::printable(program.resource));
}

QString verdictText(const PromiseResult &result, const SearchPlan &plan, const races::ExternalProgram &program,
                    bool isCancelled)
{
    switch (result.verdict) {
    case races::Verdict::NotApplicable:
        return notApplicableReason(result, plan.program);
    case races::Verdict::Broken:
        return CommandLine::tr("BROKEN: %1").arg(schedules::translatedViolation(result.violation));
    case races::Verdict::Holds:
        break;
    }
    const QString bounds = boundsText(result.promise, plan, program);
    if (result.isRandom)
        return CommandLine::tr("holds in %1 drawn at random, of %2; all others are unknown")
            .arg(schedulesText(result.schedules), bounds);
    if (result.complete)
        return CommandLine::tr("holds in all %1 of %2").arg(schedulesText(result.schedules), bounds);
    return CommandLine::tr("holds in the first %1 of %2; %3")
        .arg(statesText(static_cast<double>(result.states)), bounds,
             isCancelled ? CommandLine::tr("stopped") : CommandLine::tr("limit reached"));
}

ClockControl clockControlOf(const races::ExternalProgram &program)
{
    if (!program.isClockControlled())
        return ClockControl::NotControlled;
    return program.hasOtherClocks() ? ClockControl::PartlyControlled : ClockControl::Controlled;
}

/// Prints the processes that ended with a nonzero exit code, and a detected livelock.
void printSurroundings(const races::ExternalProgram &program)
{
    const auto failedEnds = program.failedEnds();
    if (!failedEnds.empty())
        printLine({});
    for (const races::FailedEnd &end : failedEnds)
        printLine(schedules::failedEndText(end.exitCode, end.words));
    if (const auto retries = program.livelockRepetitions())
        printLine(u'\n' + schedules::livelockText(*retries, program.soloLivelockCommand()));
    if (program.hasBusyWait())
        printLine(u'\n' + schedules::busyWaitText());
    if (const auto retries = program.lateRetries())
        printLine(u'\n' + schedules::lateRetriesText(*retries));
    if (!program.hasEndedClient() && program.soloLivelockCommand().isEmpty())
        printLine(u'\n' + schedules::noEndText());
}

/// Returns whether a key counts as a lock, and why.
QString lockText(const races::LockKey &lock)
{
    const QString key = base::printable(lock.key);
    switch (lock.reason) {
    case races::LockKey::Reason::Named:
        return CommandLine::tr("Lock: %1 (named by --lock).").arg(key);
    case races::LockKey::Reason::HasToken:
        return CommandLine::tr("Lock: %1 (it holds a token).").arg(key);
    case races::LockKey::Reason::Released:
        return CommandLine::tr("Lock: %1 (deleted on release).").arg(key);
    case races::LockKey::Reason::Only:
        return CommandLine::tr("Lock: %1 (written before the client is inside; no other key is a lock).").arg(key);
    case races::LockKey::Reason::Data:
        return CommandLine::tr("Not a lock: %1 (without a token, never deleted; --lock names locks).").arg(key);
    case races::LockKey::Reason::Unread:
        return CommandLine::tr(
                   "Not a lock: %1 (no reply before the client is inside depends on it; --lock names locks).")
            .arg(key);
    case races::LockKey::Reason::Kept:
        return CommandLine::tr("Not a lock: %1 (the client keeps it when it releases another key; --lock names locks).")
            .arg(key);
    case races::LockKey::Reason::NotNamed:
        return CommandLine::tr("Not a lock: %1 (not named by --lock).").arg(key);
    case races::LockKey::Reason::Popped:
        return CommandLine::tr("Not a lock: %1 (an element is removed before the client is inside).").arg(key);
    case races::LockKey::Reason::Moved:
        return CommandLine::tr("Not a lock: %1 (it gets the removed element, and does not show who has it).").arg(key);
    }
    Q_UNREACHABLE();
}

/// Prints the keys that count as locks, if owner-only-release has a verdict and the choice is not obvious.
void printLocks(const races::ExternalProgram &program)
{
    const auto keys = program.lockKeys();
    const auto isObvious = [](const races::LockKey &key) {
        return key.isLock() && key.reason != races::LockKey::Reason::Only;
    };
    if (keys.size() < 2 && std::ranges::all_of(keys, isObvious))
        return;
    for (const races::LockKey &key : keys)
        printLine(lockText(key));
}

/// Prints a schedule after which no client makes progress, if there is one. The verdicts do not show it.
void printStuckSchedule(const std::optional<schedules::RecordedSchedule> &schedule, const QString &heading,
                        QLatin1String id, const SavedStories &saved, const ExplorationReports &reports)
{
    if (!schedule)
        return;
    printLine(u'\n' + heading);
    if (const QString remark = reports.remarkOn(id); !remark.isEmpty())
        printLine(QString(6, u' ') + remark);
    printSteps(*schedule);
    if (const auto path = saved.find(id); path != saved.end())
        printLine(QString(6, u' ') + CommandLine::tr("saved as %1").arg(path->second));
}

void printText(const Finder &finder, const Exploration &exploration, const SavedStories &saved, const SearchPlan &plan,
               const ExplorationReports &reports)
{
    const races::ExternalProgram &program = *finder.subject().program;
    printLine(QStringLiteral("%1: %2").arg(finder.subject().recipe, boundsText(plan, program)));
    for (const PromiseResult &result : finder.results()) {
        printLine(QStringLiteral("\n  %1 %2")
                      .arg(result.promise, -20)
                      .arg(verdictText(result, plan, program, exploration.isCancelled())));
        if (const QString remark = reports.remarkOn(result.promise); !remark.isEmpty())
            printLine(QString(6, u' ') + remark);
        if (!result.counterexample)
            continue;
        printSteps(*result.counterexample);
        if (result.promise == catalogue::promiseId(catalogue::Promise::NoImmortalKey))
            printLine(QString(6, u' ') + CommandLine::tr("--data names keys that may stay forever"));
        if (const auto path = saved.find(result.promise); path != saved.end())
            printLine(QString(6, u' ') + CommandLine::tr("saved as %1").arg(path->second));
    }
    for (const QString &promise : unansweredOf(finder))
        printLine(QStringLiteral("\n  %1 %2").arg(promise, -20).arg(CommandLine::tr("unknown: not reached")));
    if (!finder.isComplete() && !plan.program.limits.preemptions
        && std::ranges::none_of(finder.results(), &PromiseResult::isRandom))
        printLine(u'\n'
                  + CommandLine::tr(
                      "Not every schedule was searched. --preemptions 2 often reduces their number "
                      "greatly: most races need one or two preemptions. --promise searches one promise alone, and "
                      "--for shares its time among all."));
    printStuckSchedule(finder.deadlock(),
                       CommandLine::tr("Deadlock in some schedules: a client waits for ever. The shortest:"),
                       deadlockId, saved, reports);
    printStuckSchedule(finder.livelock(),
                       CommandLine::tr("Livelock in some schedules: clients repeat commands for ever. One of them:"),
                       livelockId, saved, reports);
    printSurroundings(program);
    printLine(u'\n'
              + CommandLine::tr("%1 in %2 s; %3 processes started.")
                    .arg(stepsText(static_cast<double>(finder.steps())), QString::number(exploration.seconds(), 'f', 2))
                    .arg(program.starts()));
    printLine(schedules::clockText(clockControlOf(program)));
    printLocks(program);
}

void printAsJson(const Finder &finder, const Exploration &exploration, const SavedStories &saved,
                 const SearchPlan &plan, const ExplorationReports &reports)
{
    QJsonArray words;
    for (const QByteArray &word : plan.program.words)
        words += QString::fromLocal8Bit(word);
    QJsonArray locks;
    for (const races::LockKey &key : finder.subject().program->lockKeys())
        locks += QJsonObject {{QStringLiteral("key"), QString::fromUtf8(key.key)},
                              {QStringLiteral("is_lock"), key.isLock()},
                              {QStringLiteral("reason"), races::lockReasonId(key.reason)}};
    QJsonArray failedEnds;
    for (const races::FailedEnd &end : finder.subject().program->failedEnds())
        failedEnds += QJsonObject {{QStringLiteral("exit_code"), end.exitCode}, {QStringLiteral("printed"), end.words}};
    const auto retries = finder.subject().program->livelockRepetitions();
    const auto late = finder.subject().program->lateRetries();
    const QString alone = finder.subject().program->soloLivelockCommand();
    const auto &preemptions = plan.program.limits.preemptions;
    printJson(QJsonObject {
        {QStringLiteral("recipe"), finder.subject().recipe},
        {QStringLiteral("program"), words},
        {QStringLiteral("clock"), schedules::clockControlId(clockControlOf(*finder.subject().program))},
        {QStringLiteral("fixed_port"), plan.program.fixedPort != 0 ? QJsonValue(plan.program.fixedPort) : QJsonValue()},
        {QStringLiteral("clients"), plan.clients},
        {QStringLiteral("servers"), plan.program.servers},
        {QStringLiteral("crashes"), plan.program.limits.crashes},
        {QStringLiteral("expirations"), plan.program.limits.expirations},
        {QStringLiteral("timer_steps"), plan.program.limits.timerSteps},
        {QStringLiteral("lost_replies"), plan.program.limits.lostReplies},
        {QStringLiteral("preemptions"), preemptions ? QJsonValue(*preemptions) : QJsonValue()},
        {QStringLiteral("random"),
         finder.isRandom() ? QJsonValue(static_cast<qint64>(plan.options.walks)) : QJsonValue()},
        {QStringLiteral("without"), QJsonArray()},
        {QStringLiteral("server_faults"), cli::toJson(finder.serverFaultLimits())},
        {QStringLiteral("schedules"), schedulesOf(finder)},
        {QStringLiteral("steps"), static_cast<qint64>(finder.steps())},
        {QStringLiteral("starts"), finder.subject().program->starts()},
        {QStringLiteral("locks"), locks},
        {QStringLiteral("failed_ends"), failedEnds},
        {QStringLiteral("livelock"), retries ? QJsonValue(*retries) : QJsonValue()},
        {QStringLiteral("busy_wait"), finder.subject().program->hasBusyWait()},
        {QStringLiteral("late_retries"), late ? QJsonValue(*late) : QJsonValue()},
        {QStringLiteral("livelock_alone"), alone.isEmpty() ? QJsonValue() : QJsonValue(alone)},
        {QStringLiteral("clients_ended"), finder.subject().program->hasEndedClient()},
        {QStringLiteral("deadlock"), deadlockJson(finder, saved)},
        {QStringLiteral("livelock_schedule"), livelockJson(finder, saved)},
        {QStringLiteral("complete"), finder.isComplete() && !exploration.isCancelled() && !exploration.error()},
        {QStringLiteral("stopped"),
         exploration.isCancelled() || finder.isOutOfTime() || finder.subject().program->wasStopped()},
        {QStringLiteral("unanswered"), QJsonArray::fromStringList(unansweredOf(finder))},
        {QStringLiteral("seconds"), exploration.seconds()},
        {QStringLiteral("promises"), reports.marked(promisesJson(finder, saved))},
    });
}

/// Returns the path of the program's file: relative to the current folder if the file is below it.
QString sourceOf(const Program &program)
{
    for (const QByteArray &word : program.words) {
        const QFileInfo file(QString::fromLocal8Bit(word));
        if (!file.isFile() || file.fileName() != program.fileName())
            continue;
        const QString path = QDir::current().relativeFilePath(file.absoluteFilePath());
        return path.startsWith(QLatin1String("../")) ? QStringLiteral("file://") + file.absoluteFilePath() : path;
    }
    return {};
}

/// Returns a report with the subject and the bounds, for ExplorationReports.
reports::ExplorationReport emptyReport(const SearchPlan &plan)
{
    const schedules::FaultLimits &limits = plan.program.limits;
    QJsonObject bounds {
        {QStringLiteral("clients"), plan.clients},
        {QStringLiteral("crashes"), limits.crashes},
        {QStringLiteral("expirations"), limits.expirations},
        {QStringLiteral("timer_steps"), limits.timerSteps},
        {QStringLiteral("lost_replies"), limits.lostReplies},
        {QStringLiteral("states"), qint64(plan.options.bounds.states)},
        {QStringLiteral("servers"), plan.program.servers},
    };
    if (limits.preemptions)
        bounds[QStringLiteral("preemptions")] = *limits.preemptions;
    if (plan.options.walks > 0)
        bounds[QStringLiteral("random")] = qint64(plan.options.walks);
    reports::ExplorationReport report;
    report.subject = plan.program.name();
    report.source = sourceOf(plan.program);
    report.bounds = bounds;
    return report;
}

} // namespace

SearchOutcome searchProgram(SearchPlan &plan, const Arguments &arguments, ExplorationReports &reports)
{
    base::UnixSignals interrupts({SIGINT, SIGTERM, SIGHUP}); // Installed before the first process is started.
    // Checked by a callback, because no event loop runs during the wait for a process that sends nothing.
    if (plan.longest)
        plan.options.deadline = QDeadlineTimer(*plan.longest);
    plan.program.isCancelled = [&] { return plan.options.deadline.hasExpired() || interrupts.take().has_value(); };
    auto finder = Finder::create(programs::subjectFor(plan.program, plan.clients), plan.options);
    if (!finder) {
        if (finder.error().kind != ErrorKind::Usage)
            reports.addFailure(emptyReport(plan), finder.error());
        return {printErrorReport(finder.error(), arguments)};
    }
    const ProgressFormat progress = arguments.isSet("progress")                            ? ProgressFormat::Json
                                  : !arguments.wantsJson() && ::isatty(STDERR_FILENO) != 0 ? ProgressFormat::Text
                                                                                           : ProgressFormat::None;
    const Exploration exploration(**finder, interrupts, progress);
    QCoreApplication::exec();
    const races::ExternalProgram &program = *(*finder)->subject().program;
    reports.add(emptyReport(plan), **finder, exploration, [&](const PromiseResult &result) {
        return verdictText(result, plan, program, exploration.isCancelled());
    });
    // A signal during the wait for a process is an error of the search.
    const bool isStopped = exploration.isCancelled() || (program.wasStopped() && (*finder)->hasTimeLeft());
    // Results before an error are printed anyway.
    if (exploration.error() && (*finder)->results().empty())
        return {printErrorReport(*exploration.error(), arguments), isStopped};
    const auto saved = arguments.isSet("save") ? saveStories(**finder, arguments.text("save")) : SavedStories();
    if (arguments.wantsJson())
        printAsJson(**finder, exploration, saved.value_or(SavedStories()), plan, reports);
    else
        printText(**finder, exploration, saved.value_or(SavedStories()), plan, reports);
    if (!saved)
        return {printErrorReport(saved.error(), arguments), isStopped};
    if (exploration.error())
        (void)printErrorReport(*exploration.error(), arguments);
    if (reports.isBroken())
        return {ExitCode::No, isStopped};
    const bool isWhole = (*finder)->isComplete() && !exploration.isCancelled();
    const bool isAnyApplicable = std::ranges::any_of((*finder)->results(), [](const PromiseResult &result) {
        return result.verdict != races::Verdict::NotApplicable;
    });
    return {isWhole && isAnyApplicable ? ExitCode::Yes : ExitCode::Error, isStopped};
}

ExitCode exploreProgram(const Arguments &arguments)
{
    auto plan = searchPlanFrom(arguments);
    if (!plan)
        return printErrorReport(plan.error(), arguments);
    if (const auto made = makeStoryFolder(arguments); !made)
        return printErrorReport(made.error(), arguments);
    auto reports = ExplorationReports::from(arguments);
    if (!reports)
        return printErrorReport(reports.error(), arguments);
    const SearchOutcome outcome = searchProgram(*plan, arguments, *reports);
    return saveReports(*reports, outcome.exitCode, arguments);
}

} // namespace latchkey::cli

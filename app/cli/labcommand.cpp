// lab: writes keys with every recipe, kills the writer, and measures when the keys expire; and the writer process.

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/files/json.h"
#include "core/playground/lab/bulkwriter.h"
#include "core/playground/lab/labrun.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <array>
#include <csignal>
#include <cstdio>

namespace latchkey::cli {

using base::ErrorKind;
using help::CommandLine;
using lab::DelayStatistics;
using lab::LabRun;
using lab::Plan;
using std::chrono::nanoseconds;

namespace {

constexpr std::array shares {std::pair("p50", 0.5), std::pair("p90", 0.9), std::pair("p99", 0.99),
                             std::pair("max", 1.0)};

double millisecondsOf(nanoseconds time)
{
    return std::round(std::chrono::duration<double, std::micro>(time).count()) / 1000;
}

// The writer process, which is killed.

void say(const char *what, const QJsonValue &value)
{
    printBytes(files::toLine(QJsonObject {{QLatin1String(what), value}}) + '\n');
    std::fflush(stdout);
}

ExitCode write(const Arguments &arguments)
{
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    QFile input;
    if (!input.open(stdin, QIODevice::ReadOnly))
        return printError(base::Error {ErrorKind::Local, input.errorString()});
    const auto plan = lab::planFromJson(QJsonDocument::fromJson(input.readLine()).object());
    if (!plan)
        return printError(plan.error().during(QStringLiteral("lab --write")));
    std::signal(SIGPIPE, SIG_IGN);
    lab::BulkWriter writer(*endpoint, *plan, base::SystemClock::instance(), base::SystemRandom::instance());
    QObject::connect(&writer, &lab::BulkWriter::wrote, &writer, [](int keys) { say("wrote", keys); });
    QObject::connect(&writer, &lab::BulkWriter::allSettled, &writer, [](int held) { say("stood", held); });
    QObject::connect(&writer, &lab::BulkWriter::failed, &writer,
                     [](const base::Error &error) { say("failed", error.text.toJson()); });
    writer.start();
    return QCoreApplication::exec() == 0 ? ExitCode::Yes : ExitCode::Error;
}

// The measuring process.

base::Result<int> numberFrom(const Arguments &arguments, const char *option, int otherwise)
{
    if (!arguments.isSet(option))
        return otherwise;
    bool isNumber = false;
    const int number = arguments.text(option).toInt(&isNumber);
    if (!isNumber)
        return base::failure(
            ErrorKind::Usage,
            CommandLine::tr("--%1: \"%2\" is not a whole number").arg(QLatin1String(option), arguments.text(option)));
    return number;
}

base::Result<Plan> planFrom(const Arguments &arguments)
{
    Plan plan;
    for (int i = 0; i < arguments.positionalCount(); ++i)
        plan.recipes += arguments.positionalText(i);
    if (plan.recipes.isEmpty()) {
        for (const caches::Recipe &recipe : caches::recipes())
            plan.recipes += recipe.id;
    }
    const auto keys = numberFrom(arguments, "keys", plan.keysOfEach);
    const auto crashAfter = numberFrom(arguments, "crash-after", 0);
    const auto crashed = numberFrom(arguments, "crashed", plan.crashedPercent);
    for (const auto *number : {&keys, &crashAfter, &crashed}) {
        if (!*number)
            return base::failure(number->error());
    }
    plan.keysOfEach = *keys;
    plan.crashedPercent = *crashed;
    if (arguments.isSet("crash-after"))
        plan.crashAfter = *crashAfter;
    const auto lifetime = arguments.duration("lifetime");
    const auto longest = arguments.duration("up-to");
    if (!lifetime || !longest)
        return base::failure(!lifetime ? lifetime.error() : longest.error());
    if (*lifetime)
        plan.shortest = plan.longest = **lifetime;
    if (*longest)
        plan.longest = **longest;
    plan.prefix = Plan::freshPrefix();
    if (const auto checked = plan.check(); !checked)
        return base::failure(checked.error());
    return plan;
}

QJsonObject toJson(const DelayStatistics &lateness)
{
    QJsonObject object {{QStringLiteral("count"), static_cast<qint64>(lateness.count())}};
    for (const auto &[name, share] : shares)
        object[QLatin1String(name) + QStringLiteral("_ms")] = millisecondsOf(lateness.quantile(share));
    return object;
}

QJsonObject toJson(const LabRun::RecipeCounts &counts)
{
    QJsonArray promises;
    for (const lab::PromiseVerdict &verdict : lab::verdictsOn(counts))
        promises += QJsonObject {{QStringLiteral("id"), catalogue::promiseId(verdict.promise)},
                                 {QStringLiteral("claimed"), verdict.isClaimed},
                                 {QStringLiteral("verdict"), QLatin1String(verdict.broken > 0 ? "broken" : "holds")},
                                 {QStringLiteral("keys"), verdict.broken}};
    return {
        {QStringLiteral("recipe"), counts.recipe}, {QStringLiteral("keys"), counts.keys},
        {QStringLiteral("ending"), counts.ending}, {QStringLiteral("without_lifetime"), counts.persistent},
        {QStringLiteral("empty"), counts.empty},   {QStringLiteral("absent"), counts.absent},
        {QStringLiteral("promises"), promises},
    };
}

QJsonObject toJson(const LabRun &run)
{
    QJsonArray recipes;
    for (const LabRun::RecipeCounts &counts : run.recipeCounts())
        recipes += toJson(counts);
    const lab::ExpiryMeter &meter = *run.meter();
    return {
        {QStringLiteral("keys"), run.plan().keyCount()},
        {QStringLiteral("killed_writes"), run.killedWrites()},
        {QStringLiteral("recipes"), recipes},
        {QStringLiteral("late_to_reader"), toJson(meter.readDelays())},
        {QStringLiteral("late_to_event"), toJson(meter.eventDelays())},
        {QStringLiteral("hears_events"), meter.receivesEvents()},
        {QStringLiteral("silent"), meter.silent()},
        {QStringLiteral("round_trip"), toJson(meter.roundTrips())},
    };
}

void print(const QString &line)
{
    printBytes(line.toUtf8() + '\n');
}

void printLateness(const QString &name, const DelayStatistics &lateness)
{
    QString line = help::padded(QStringLiteral("  ") + name, 34) + QStringLiteral(" %1").arg(lateness.count(), 7);
    for (const auto &[label, share] : shares)
        line += QStringLiteral("  %1 %2")
                    .arg(QLatin1String(label))
                    .arg(millisecondsOf(lateness.quantile(share)), 8, 'f', 3);
    print(line);
}

void printText(const LabRun &run)
{
    for (const LabRun::RecipeCounts &counts : run.recipeCounts()) {
        print(counts.recipe);
        for (const lab::PromiseVerdict &verdict : lab::verdictsOn(counts))
            print(QStringLiteral("  %1 %2 %3")
                      .arg(catalogue::promiseId(verdict.promise), -20)
                      .arg(help::padded(verdict.isClaimed ? CommandLine::tr("claimed") : CommandLine::tr("not claimed"),
                                        12),
                           verdict.text.toString()));
    }
    const lab::ExpiryMeter &meter = *run.meter();
    const QString indent(2, u' ');
    print(u'\n' + CommandLine::tr("How late, in milliseconds"));
    printLateness(CommandLine::tr("seen expired by a read"), meter.readDelays());
    if (meter.receivesEvents())
        printLateness(CommandLine::tr("expired event received"), meter.eventDelays());
    else
        print(indent + CommandLine::tr("the server sends no expired events (notify-keyspace-events)"));
    if (meter.silent() > 0)
        print(indent + CommandLine::tr("no event for %1 keys within ten seconds").arg(meter.silent()));
    const double roundTrip = millisecondsOf(meter.roundTrips().quantile(0.99));
    print(indent
          + CommandLine::tr("±%1: a millisecond, and half of a round trip (p99 %2)")
                .arg(1 + roundTrip / 2, 0, 'f', 3)
                .arg(roundTrip, 0, 'f', 3));
}

bool isClaimBroken(const LabRun &run)
{
    return std::ranges::any_of(run.recipeCounts(), [](const LabRun::RecipeCounts &counts) {
        return std::ranges::any_of(lab::verdictsOn(counts), [](const lab::PromiseVerdict &verdict) {
            return verdict.isClaimed && verdict.broken > 0;
        });
    });
}

ExitCode measure(const Arguments &arguments)
{
    const auto plan = planFrom(arguments);
    if (!plan)
        return printError(plan.error().during(QStringLiteral("lab")));
    std::optional<net::Endpoint> server;
    if (arguments.isSet("url")) {
        const auto endpoint = arguments.endpoint();
        if (!endpoint)
            return printError(endpoint.error());
        server = *endpoint;
    }
    base::UnixSignals signals({SIGINT, SIGTERM, SIGHUP});
    LabRun run(QCoreApplication::applicationFilePath(), base::SystemClock::instance(), base::SystemRandom::instance());
    QObject::connect(&signals, &base::UnixSignals::received, &run, &LabRun::cancel);
    QObject::connect(&run, &LabRun::phaseChanged, &run, [&run] {
        if (run.phase() == LabRun::Phase::Over)
            QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    });
    run.start(*plan, server);
    QCoreApplication::exec();
    if (run.error())
        return printError(run.error()->during(QStringLiteral("lab")));
    if (run.isCancelled()) {
        printError(CommandLine::tr("lab: it was stopped"));
        return ExitCode::Error;
    }
    if (arguments.wantsJson())
        printJson(toJson(run));
    else
        printText(run);
    return isClaimBroken(run) ? ExitCode::No : ExitCode::Yes;
}

ExitCode runLab(const Arguments &arguments)
{
    return arguments.isSet("write") ? write(arguments) : measure(arguments);
}

} // namespace

Command labCommand()
{
    return {
        "lab",
        {"[RECIPE...]", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "measures expiry: writes keys and kills the writer"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Starts a process that writes keys by the recipes (default: all caches), and kills it during its writes. Then it reports which keys have no lifetime, when each key was due, when a reader found it gone, and when the server reported its expiry. It uses a private server, or that of --url, where it removes the keys afterwards.

{options}

A read removes an expired key. So half of the keys are read from their expiry on, and the others are not read until the expired event of the server arrives. The delay is known to a millisecond plus half of a round trip.
With --json: {keys, killed_writes, recipes: [{recipe, keys, ending, without_lifetime, empty, absent, promises: [{id, claimed, verdict, keys}]}], late_to_reader: {count, p50_ms, p90_ms, p99_ms, max_ms}, late_to_event, hears_events, silent, round_trip}.
Exit code: 0 no claimed promise is broken; 1 one is; 2 wrong usage; 3 error, or stopped.

Examples:
  latchkey-cli lab --crash-after 1
  latchkey-cli lab set-then-expire setex --keys 10000 --lifetime 3s --up-to 10s
)help"),
        {
            makeOption("keys", "N", CommandLine::tr("keys of each recipe (1000)")),
            makeOption("lifetime", "DURATION", CommandLine::tr("their lifetime (from 2s to 5s)")),
            makeOption("up-to", "DURATION", CommandLine::tr("lifetimes are spread evenly up to this")),
            makeOption("crash-after", "N",
                       CommandLine::tr("commands of a write before the writer is killed; a pipeline counts as one")),
            makeOption("crashed", "PERCENT", CommandLine::tr("share of interrupted writes (50)")),
            makeOption("write", "", CommandLine::tr("act as the writer process; the plan comes on standard input")),
        },
        runLab,
        RecipeFamily::Caches,
    };
}

} // namespace latchkey::cli

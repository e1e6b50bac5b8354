// story: plays stories with clients that are processes, step by step.

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/storyfiles.h"
#include "app/cli/storyprinter.h"
#include "app/help/commandline.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/foundation/base/unixsignals.h"
#include "core/playground/scenarios/builtin.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/playground/scenarios/scenariotexts.h"
#include "core/playground/scenarios/schedulescenario.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QSocketNotifier>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using scenarios::Scenario;
using scenarios::ScenarioPlayer;

namespace {

/// A story file with its name for messages.
struct StorySource
{
    QString name;
    QByteArray contents;
};

/// Returns a built-in story by name, or the file at a path. Error: Usage.
Result<StorySource> sourceOf(const QString &nameOrPath)
{
    if (auto scenario = scenarios::builtInScenario(nameOrPath))
        return StorySource {scenario->name, std::move(scenario->contents)};
    if (!QFileInfo::exists(nameOrPath) && !nameOrPath.contains(u'/') && !nameOrPath.contains(u'.')) {
        QStringList names;
        for (const scenarios::BuiltInScenario &scenario : scenarios::builtInScenarios())
            names += scenario.name;
        return failure(ErrorKind::Usage,
                       CommandLine::tr("there is no story \"%1\", and no file of that name; there are %2")
                           .arg(nameOrPath, names.join(QStringLiteral(", "))));
    }
    auto contents = readStoryFile(nameOrPath);
    if (!contents)
        return failure(contents.error().during(nameOrPath));
    return StorySource {nameOrPath, *std::move(contents)};
}

/// A run of the alternatives of a story, one after the other, which are played and printed.
class StoryRun final : public QObject
{
public:
    StoryRun(const Scenario &scenario, QList<std::size_t> alternatives, double speed, bool asJson, bool waitsForEnter)
        : m_scenario(scenario)
        , m_alternatives(std::move(alternatives))
        , m_printer(asJson)
        , m_player(QCoreApplication::applicationFilePath(), base::SystemClock::instance(),
                   base::SystemRandom::instance())
        , m_interrupts({SIGINT, SIGTERM, SIGHUP})
        , m_waitsForEnter(waitsForEnter)
        , m_input(STDIN_FILENO, QSocketNotifier::Read)
    {
        m_input.setEnabled(waitsForEnter);
        m_player.setSpeed(speed);
        connect(&m_input, &QSocketNotifier::activated, this, &StoryRun::readEnter);
        connect(&m_interrupts, &base::UnixSignals::received, this, [] { QCoreApplication::exit(1); });
        connect(&m_player, &ScenarioPlayer::stepEnded, this, [this](const scenarios::StepResult &result) {
            m_printer.printStep(m_player.alternative(), result);
            if (isOutputLost())
                QCoreApplication::exit(1);
        });
        connect(&m_player, &ScenarioPlayer::stateChanged, this, [this](ScenarioPlayer::State state) {
            if (state == ScenarioPlayer::State::Over)
                end();
        });
    }

    /// Runs the event loop until the end. Absent if it was stopped.
    [[nodiscard]] std::optional<scenarios::ScenarioVerdict> tell()
    {
        m_printer.printTitle(m_scenario);
        next();
        if (QCoreApplication::exec() != 0)
            return std::nullopt;
        m_printer.printEnd(m_scenario, m_verdict);
        return m_verdict;
    }

private:
    void next()
    {
        if (m_alternatives.isEmpty()) {
            QCoreApplication::quit();
            return;
        }
        m_player.load(m_scenario, m_alternatives.takeFirst());
        m_printer.printAlternative(m_player.alternative());
        if (!m_waitsForEnter)
            m_player.play();
    }

    void end()
    {
        m_printer.printVerdict(m_player);
        if (m_player.error())
            printError(m_player.error()->message());
        // A certain difference takes precedence over an unknown outcome.
        if (m_verdict != scenarios::ScenarioVerdict::Differs
            && m_player.verdict() != scenarios::ScenarioVerdict::Passed)
            m_verdict = m_player.verdict();
        if (m_player.verdict() == scenarios::ScenarioVerdict::Unknown)
            m_alternatives.clear(); // The cause of an unknown outcome is unrelated to the alternative.
        next();
    }

    void readEnter()
    {
        char byte = 0;
        const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
        if (count == 1 && byte == '\n')
            m_player.step();
        if (count > 0)
            return;
        m_input.setEnabled(false); // Standard input has ended, so the user can no longer press Enter.
        m_waitsForEnter = false;
        m_player.play();
    }

    const Scenario &m_scenario; // Not owned.
    QList<std::size_t> m_alternatives;
    const StoryPrinter m_printer;
    ScenarioPlayer m_player;
    base::UnixSignals m_interrupts;
    bool m_waitsForEnter;
    QSocketNotifier m_input;
    scenarios::ScenarioVerdict m_verdict = scenarios::ScenarioVerdict::Passed;
};

Result<QList<std::size_t>> alternativesOf(const Scenario &scenario, const QStringList &wanted)
{
    QList<std::size_t> found;
    QStringList names;
    for (std::size_t i = 0; i < scenario.alternatives.size(); ++i) {
        names += scenario.alternatives[i].name;
        if (wanted.isEmpty() || wanted.contains(names.back()))
            found += i;
    }
    for (const QString &name : wanted) {
        if (!names.contains(name))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--only %1: the story has %2").arg(name, names.join(QStringLiteral(", "))));
    }
    return found;
}

Result<double> storySpeedFrom(const Arguments &arguments)
{
    if (!arguments.isSet("speed"))
        return 1.0;
    bool isNumber = false;
    const double speed = arguments.text("speed").toDouble(&isNumber);
    if (!isNumber || !(speed >= 0.1 && speed <= 1000))
        return failure(ErrorKind::Usage,
                       CommandLine::tr("--speed %1: not a number from 0.1 to 1000").arg(arguments.text("speed")));
    return speed;
}

ExitCode list(bool asJson)
{
    QJsonArray array;
    for (const scenarios::BuiltInScenario &source : scenarios::builtInScenarios()) {
        const auto scenario = scenarios::readScenario(source.name, source.contents);
        if (!scenario)
            return printError(scenario.error());
        QJsonArray alternatives;
        for (const scenarios::Alternative &alternative : scenario->alternatives)
            alternatives += QJsonObject {{QStringLiteral("name"), alternative.name},
                                         {QStringLiteral("is"), scenarios::kindId(alternative.kind)},
                                         {QStringLiteral("recipe"), alternative.recipe},
                                         {QStringLiteral("verdict"), alternative.verdict}};
        array += QJsonObject {{QStringLiteral("id"), source.name},
                              {QStringLiteral("title"), scenario->title},
                              {QStringLiteral("verdict"), scenario->verdict},
                              {QStringLiteral("alternatives"), alternatives}};
        if (!asJson)
            std::printf("%-22s %s\n", qPrintable(source.name), qPrintable(scenarios::translated(scenario->title)));
    }
    if (asJson)
        printJson(array);
    return ExitCode::Yes;
}

/// Reports the errors of a story file of either version.
ExitCode check(const StorySource &source)
{
    if (scenarios::storyVersion(source.contents) == 1) {
        const auto scenario = schedules::fromFile(source.contents, source.name);
        return scenario ? ExitCode::Yes : printError(scenario.error());
    }
    const auto scenario = scenarios::readScenario(source.name, source.contents);
    return scenario ? ExitCode::Yes : printError(scenario.error());
}

/// Disables connection messages of this program and the clients, because failures of servers and connections are part
/// of the story.
void keepConnectionsQuiet()
{
    static const QString rules = QStringLiteral("latchkey.connection.warning=false\nlatchkey.server.warning=false");
    if (!qEnvironmentVariableIsEmpty("QT_LOGGING_RULES"))
        return;
    QLoggingCategory::setFilterRules(rules);
    qputenv("QT_LOGGING_RULES", QString(rules).replace(u'\n', u';').toUtf8());
}

ExitCode tell(const StorySource &source, const Arguments &arguments)
{
    const auto scenario = scenarios::readAnyStory(source.name, source.contents);
    if (!scenario)
        return printError(scenario.error());
    const auto alternatives = alternativesOf(*scenario, arguments.texts("only"));
    if (!alternatives)
        return printError(alternatives.error());
    const auto speed = storySpeedFrom(arguments);
    if (!speed)
        return printError(speed.error());
    keepConnectionsQuiet();
    StoryRun run(*scenario, *alternatives, *speed, arguments.wantsJson(), arguments.isSet("step"));
    const auto verdict = run.tell();
    if (!verdict)
        return printError(base::Error {ErrorKind::Local, source.name + CommandLine::tr(": stopped before its end")});
    return *verdict == scenarios::ScenarioVerdict::Passed  ? ExitCode::Yes
         : *verdict == scenarios::ScenarioVerdict::Differs ? ExitCode::No
                                                           : ExitCode::Error;
}

ExitCode runStory(const Arguments &arguments)
{
    const int actions = int(arguments.isSet("list")) + int(arguments.isSet("check")) + int(arguments.isSet("print"));
    const bool hasStory = arguments.positionalCount() > 0;
    if (actions + int(hasStory) > 1)
        return printError(
            base::Error {ErrorKind::Usage, CommandLine::tr("a STORY, --list, --check and --print exclude each other")});
    if (actions + int(hasStory) == 0 || arguments.isSet("list"))
        return list(arguments.wantsJson());
    const QString wanted = hasStory                 ? arguments.positionalText(0)
                         : arguments.isSet("check") ? arguments.text("check")
                                                    : arguments.text("print");
    const auto source = sourceOf(wanted);
    if (!source)
        return printError(source.error());
    if (arguments.isSet("check"))
        return check(*source);
    if (arguments.isSet("print")) {
        printBytes(source->contents);
        return ExitCode::Yes;
    }
    return tell(*source, arguments);
}

} // namespace

Command storyCommand()
{
    return {
        "story",
        {"[STORY]", 0, 1},
        QT_TRANSLATE_NOOP("CommandLine", "plays a story of locks with real client processes"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Plays a story on private servers and prints each step: the action, the commands of each client, the replies of the server, and whether they meet the expectations of the story. STORY is the name of a built-in story, or a file. Every client is a separate process; a crash is SIGKILL, a pause is SIGSTOP.
Without STORY, the built-in stories are listed. In a file of `explore --save`, every client runs the recipe and is held before each command, so that the commands have the order that the race finder found.

{options}

With --json an object per step: {alternative, step, place, say, client, does, outcome, message, fencing, exchanged, inside, passed, differences}; after each alternative {alternative, is, outcome, verdict}, and at the end {title, outcome, question, verdict}; this outcome is passed, failed or unknown. --list --json is an array of {id, title, verdict, alternatives}.
Exit code: 0 passed; 1 failed; 2 wrong usage, or a file that is no story; 3 unknown.

Examples:
  latchkey-cli story
  latchkey-cli story late-delete
  latchkey-cli story paused-holder --step --only fenced
  latchkey-cli story --print late-delete > mine.json && latchkey-cli story --check mine.json
)help"),
        {
            makeOption("list", "", CommandLine::tr("lists the built-in stories")),
            makeOption("only", "ALTERNATIVE",
                       CommandLine::tr("plays only this alternative of the story; may be repeated")),
            makeOption("step", "", CommandLine::tr("waits for Enter before each step")),
            makeOption("speed", "NUMBER",
                       CommandLine::tr("speed factor, 0.1 to 1000; default 1. Scales work, and the "
                                       "rest of a lease if the story allows that")),
            makeOption("check", "FILE", CommandLine::tr("checks a story file, and plays nothing")),
            makeOption("print", "STORY", CommandLine::tr("prints the file, to start one of your own from")),
        },
        runStory,
    };
}

} // namespace latchkey::cli

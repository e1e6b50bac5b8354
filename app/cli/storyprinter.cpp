#include "app/cli/storyprinter.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/terminaltext.h"
#include "core/playground/scenarios/scenariotexts.h"

#include <QJsonArray>
#include <QJsonObject>

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// Returns the heading of an alternative: `the lock, in question (flawed)`. Without a kind, it is the title only; for
/// the only alternative, it is empty.
QString headingOf(const scenarios::Alternative &alternative)
{
    QString heading = alternative.name;
    if (!alternative.title.isEmpty())
        heading += (heading.isEmpty() ? QString() : QStringLiteral(": ")) + scenarios::translated(alternative.title);
    switch (alternative.kind) {
    case scenarios::Alternative::Kind::Plain:
        break;
    case scenarios::Alternative::Kind::Flawed:
        return CommandLine::tr("%1 (flawed)").arg(heading);
    case scenarios::Alternative::Kind::Sound:
        return CommandLine::tr("%1 (sound)").arg(heading);
    }
    return heading;
}

QString verdictId(scenarios::ScenarioVerdict verdict)
{
    switch (verdict) {
    case scenarios::ScenarioVerdict::Passed:
        return QStringLiteral("passed");
    case scenarios::ScenarioVerdict::Differs:
        return QStringLiteral("failed");
    case scenarios::ScenarioVerdict::Unknown:
        break;
    }
    return QStringLiteral("unknown");
}

/// Returns the outcome of a step: `error (only 2 of 5 servers answered)`, `refused, with number 1`.
QString outcomeOf(const scenarios::StepResult &result)
{
    QString outcome = result.outcome;
    if (result.report.fencing)
        outcome += CommandLine::tr(", with number %1").arg(*result.report.fencing);
    if (!result.report.message.isEmpty())
        outcome += QStringLiteral(" (%1)").arg(result.report.message.toString());
    return outcome;
}

QJsonArray textsOf(const QList<base::Text> &texts)
{
    QJsonArray array;
    for (const base::Text &text : texts)
        array += text.toString();
    return array;
}

} // namespace

void StoryPrinter::printTitle(const scenarios::Scenario &scenario) const
{
    if (m_asJson)
        return;
    printLine(scenarios::translated(scenario.title));
    if (!scenario.summary.isEmpty())
        printLine(scenarios::translated(scenario.summary));
}

void StoryPrinter::printAlternative(const scenarios::Alternative &alternative) const
{
    if (m_asJson)
        return;
    const QString heading = headingOf(alternative);
    printLine({});
    if (!heading.isEmpty())
        printLine(heading);
    if (!heading.isEmpty())
        printLine({});
    std::fflush(stdout);
}

void StoryPrinter::printStep(const scenarios::Alternative &alternative, const scenarios::StepResult &result) const
{
    const scenarios::ScenarioStep &step = alternative.steps.at(result.step);
    if (!m_asJson) {
        printStep(step, result);
        return;
    }
    QJsonArray exchanged;
    for (const scenarios::CommandRecord &each : result.exchanged)
        exchanged += QJsonObject {{QStringLiteral("client"), each.client},
                                  {QStringLiteral("command"), each.command},
                                  {QStringLiteral("reply"), each.reply.toString()}};
    const auto orNull = [](const QString &text) { return text.isEmpty() ? QJsonValue() : QJsonValue(text); };
    printJson(QJsonObject {
        {QStringLiteral("alternative"), orNull(alternative.name)},
        {QStringLiteral("step"), static_cast<qint64>(result.step + 1)},
        {QStringLiteral("place"), step.location},
        {QStringLiteral("say"), step.say},
        {QStringLiteral("client"), orNull(step.client)},
        {QStringLiteral("does"), orNull(step.actionText().toString())},
        {QStringLiteral("outcome"), orNull(result.outcome)},
        {QStringLiteral("message"), orNull(result.report.message.toString())},
        {QStringLiteral("fencing"), result.report.fencing ? QJsonValue(*result.report.fencing) : QJsonValue()},
        {QStringLiteral("exchanged"), exchanged},
        {QStringLiteral("inside"), QJsonArray::fromStringList(result.inside)},
        {QStringLiteral("passed"), result.differences.isEmpty()},
        {QStringLiteral("differences"), textsOf(result.differences)},
    });
}

void StoryPrinter::printStep(const scenarios::ScenarioStep &step, const scenarios::StepResult &result) const
{
    printLine(QStringLiteral("%1  %2").arg(result.step + 1, 3).arg(scenarios::translated(step.say)));
    const QString indent(5, u' ');
    for (const scenarios::CommandRecord &each : result.exchanged)
        printLine(indent + QStringLiteral("%1  %2 → %3").arg(each.client, each.command, each.reply.toString()));
    const QString action = step.actionText().toString();
    QStringList parts;
    if (!action.isEmpty())
        parts += step.client.isEmpty() ? action : step.client + u' ' + action;
    if (!result.outcome.isEmpty())
        parts += outcomeOf(result);
    if (!result.inside.isEmpty())
        parts += CommandLine::tr("inside: %1").arg(result.inside.join(QStringLiteral(", ")));
    if (!parts.isEmpty())
        printLine(indent + QStringLiteral("— ") + parts.join(QStringLiteral("; ")));
    for (const base::Text &difference : result.differences)
        printLine(indent + CommandLine::tr("FAILED: %1").arg(difference.toString()));
    std::fflush(stdout);
}

void StoryPrinter::printVerdict(const scenarios::ScenarioPlayer &player) const
{
    const scenarios::Alternative &alternative = player.alternative();
    if (m_asJson) {
        const auto orNull = [](const QString &text) { return text.isEmpty() ? QJsonValue() : QJsonValue(text); };
        QJsonObject object {{QStringLiteral("alternative"), orNull(alternative.name)},
                            {QStringLiteral("is"), orNull(scenarios::kindId(alternative.kind))},
                            {QStringLiteral("outcome"), verdictId(player.verdict())},
                            {QStringLiteral("verdict"), orNull(alternative.verdict)}};
        if (player.error())
            object[QStringLiteral("error")] = player.error()->message();
        printJson(object);
        return;
    }
    switch (player.verdict()) {
    case scenarios::ScenarioVerdict::Passed:
        printLine(QString(5, u' ') + CommandLine::tr("Passed: all expectations were met."));
        if (!alternative.verdict.isEmpty())
            printLine(QString(5, u' ') + scenarios::translated(alternative.verdict));
        break;
    case scenarios::ScenarioVerdict::Differs:
        printLine(QString(5, u' ') + CommandLine::tr("Failed: the story ends here."));
        break;
    case scenarios::ScenarioVerdict::Unknown: // The reason is printed to standard error.
        printLine(QString(5, u' ') + CommandLine::tr("Unknown: the story could not be completed."));
        break;
    }
    std::fflush(stdout);
}

void StoryPrinter::printEnd(const scenarios::Scenario &scenario, scenarios::ScenarioVerdict verdict) const
{
    if (m_asJson) {
        printJson(QJsonObject {{QStringLiteral("title"), scenario.title},
                               {QStringLiteral("outcome"), verdictId(verdict)},
                               {QStringLiteral("question"), scenario.question},
                               {QStringLiteral("verdict"), scenario.verdict}});
        return;
    }
    if (verdict != scenarios::ScenarioVerdict::Passed)
        return;
    printLine({});
    if (!scenario.question.isEmpty())
        printLine(CommandLine::tr("Question: %1").arg(scenarios::translated(scenario.question)));
    if (!scenario.verdict.isEmpty())
        printLine(CommandLine::tr("Lesson: %1").arg(scenarios::translated(scenario.verdict)));
}

} // namespace latchkey::cli

#include "app/cli/exploration.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/explore/schedules/schedulefile.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using races::Finder;
using races::PromiseResult;
using namespace std::chrono_literals;

QJsonObject toJson(const PromiseResult &result)
{
    QJsonObject object {
        {QStringLiteral("id"), result.promise},
        {QStringLiteral("clients"), result.clients},
        {QStringLiteral("claimed"), result.claimed},
        {QStringLiteral("verdict"), schedules::verdictId(result.verdict)},
        {QStringLiteral("complete"), result.complete},
        {QStringLiteral("schedules"), result.schedules},
        {QStringLiteral("states"), static_cast<qint64>(result.states)},
        {QStringLiteral("steps"), static_cast<qint64>(result.steps)},
    };
    if (!result.reason.isEmpty())
        object[QStringLiteral("reason")] = result.reason.english();
    if (!result.counterexample)
        return object;
    object[QStringLiteral("complaint")] = result.violation;
    if (!result.counterexample->setupCommands.empty())
        object[QStringLiteral("beforehand")] = schedules::toJson(result.counterexample->setupCommands);
    object[QStringLiteral("counterexample")] = schedules::toJson(result.counterexample->steps);
    return object;
}

ExitCode printErrorReport(const base::Error &error, const Arguments &arguments)
{
    if (arguments.wantsJson() && arguments.isSet("progress"))
        printJson(QJsonObject {{QStringLiteral("error"), error.message()}});
    return printError(error);
}

Exploration::Exploration(Finder &finder, const base::UnixSignals &interrupts, ProgressFormat progress)
    : m_finder(finder)
    , m_progress(progress)
{
    m_time.start();
    connect(&m_sliceTimer, &QTimer::timeout, this, &Exploration::resume);
    connect(&interrupts, &base::UnixSignals::received, this, &Exploration::cancel);
    m_sliceTimer.start(0ms);
}

void Exploration::cancel()
{
    if (!m_sliceTimer.isActive())
        return; // Already finished.
    m_finder.cancel();
    m_isCancelled = m_finder.hasTimeLeft();
    finish();
}

void Exploration::resume()
{
    const auto done = m_finder.step(QDeadlineTimer(100ms));
    const races::ExternalProgram *program = m_finder.subject().program.get();
    if (!done && program != nullptr && program->wasStopped() && !m_finder.promise().isEmpty() && m_finder.states() > 0)
        return cancel(); // The results so far are a valid answer.
    if (!done)
        m_error = done.error();
    printAnswers();
    if (!done || *done)
        finish();
    else if (m_progress == ProgressFormat::Json)
        printProgress();
    else if (m_progress == ProgressFormat::Text)
        std::fprintf(stderr, "\r\033[K%s", qUtf8Printable(progressLine()));
}

/// Returns the progress. For a program the text is longer: each state may need a process, so there is time to read it.
QString Exploration::progressLine() const
{
    const races::ExternalProgram *program = m_finder.subject().program.get();
    if (program == nullptr)
        return CommandLine::tr("%1, %2 clients: %3 states of %4")
            .arg(m_finder.subject().recipe)
            .arg(m_finder.subject().clients)
            .arg(m_finder.states())
            .arg(m_finder.promise());
    if (m_finder.isRandom())
        return CommandLine::tr("%1, %2 clients, %3: %4 of %5 random schedules; %6 processes started")
            .arg(m_finder.subject().recipe)
            .arg(m_finder.subject().clients)
            .arg(m_finder.promise())
            .arg(m_finder.states())
            .arg(m_finder.maxStates())
            .arg(program->starts());
    const double rate = static_cast<double>(m_finder.steps()) / std::max(secondsSoFar(), 1e-3);
    return CommandLine::tr(
               "%1, %2 clients, %3: %4 states of at most %5, %6 steps deep; %7 processes started; %8 steps a "
               "second")
        .arg(m_finder.subject().recipe)
        .arg(m_finder.subject().clients)
        .arg(m_finder.promise())
        .arg(m_finder.states())
        .arg(m_finder.maxStates())
        .arg(m_finder.depth())
        .arg(program->starts())
        .arg(rate, 0, 'f', 0);
}

void Exploration::printProgress()
{
    QJsonObject progress {{QStringLiteral("promise"), m_finder.promise()},
                          {QStringLiteral("clients"), m_finder.subject().clients},
                          {QStringLiteral("states"), static_cast<qint64>(m_finder.states())},
                          {QStringLiteral("most_states"), static_cast<qint64>(m_finder.maxStates())},
                          {QStringLiteral("depth"), m_finder.depth()},
                          {QStringLiteral("steps"), static_cast<qint64>(m_finder.steps())},
                          {QStringLiteral("seconds"), secondsSoFar()}};
    if (const races::ExternalProgram *program = m_finder.subject().program.get())
        progress[QStringLiteral("starts")] = program->starts();
    printJson(QJsonObject {{QStringLiteral("progress"), progress}});
    if (isOutputLost())
        finish();
}

void Exploration::printAnswers()
{
    if (m_progress != ProgressFormat::Json)
        return;
    if (m_finder.results().empty() && !m_printedPromises.isEmpty()) { // The finder explores the program again.
        m_printedPromises.clear();
        printJson(QJsonObject {{QStringLiteral("restarted"), true}});
    }
    for (const PromiseResult &result : m_finder.results()) {
        if (m_printedPromises.contains(result.promise))
            continue;
        m_printedPromises += result.promise;
        QJsonObject line {{QStringLiteral("answered"), toJson(result)}};
        if (!result.reason.isEmpty())
            line[QStringLiteral("reason")] = result.reason.toJson();
        if (result.counterexample)
            line[QStringLiteral("story")] = schedules::toTranslatableJson(*result.counterexample);
        printJson(line);
    }
}

double Exploration::secondsSoFar() const
{
    return static_cast<double>(m_time.nsecsElapsed()) / 1e9;
}

void Exploration::finish()
{
    m_sliceTimer.stop();
    printAnswers();
    if (m_progress == ProgressFormat::Text)
        std::fputs("\r\033[K", stderr);
    m_seconds = secondsSoFar();
    QCoreApplication::quit();
}

} // namespace latchkey::cli

#include "app/cli/storyfiles.h"

#include "app/cli/clocklibrary.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/explore/races/attempt.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/scheduleplayer.h"
#include "core/explore/schedules/violationtext.h"
#include "core/explore/shim/serverclock.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/files/inputfile.h"
#include "core/foundation/files/savedfile.h"
#include "core/playground/scenarios/confinement.h"
#include "core/playground/scenarios/programscenario.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/redis/net/dialer.h"
#include "core/redis/privateserver/privateserver.h"
#include "core/redis/resp/servererror.h"

#include <QDir>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace latchkey::cli {

using base::Error;
using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using privateserver::PrivateServer;
using schedules::RecordedSchedule;

namespace {

/// Size limit in bytes. A useful story is smaller, and larger files should not be read completely.
constexpr qint64 maxFileSize = 1 << 20;

Result<RecordedSchedule> readStory(const QString &path)
{
    const auto contents = readStoryFile(path);
    if (!contents)
        return failure(contents.error());
    if (scenarios::storyVersion(*contents) == 2)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("this story is played by client processes: use latchkey-cli story"));
    return schedules::fromFile(*contents);
}

void printBeforehand(const RecordedSchedule &schedule)
{
    for (const resp::Command &command : schedule.setupCommands)
        std::printf("       -  -  %s    — beforehand\n", qPrintable(command.toText()));
}

void printStep(const RecordedSchedule &schedule, std::size_t index)
{
    std::printf("      %2zu  %s\n", index + 1, qPrintable(schedule.steps[index].toText(schedule.servers).toString()));
}

/// The result of replaying a story on private servers, with the step that differs.
struct Performance
{
    std::size_t steps = 0;
    bool hasPassed = true;
    bool isStopped = false; ///< Whether the user has stopped the replay.
    resp::Reply reply;      ///< Reply that differs.
};

Result<void> confine(const PrivateServer &server)
{
    if (auto limited = scenarios::confineMemory(server.processId()); !limited)
        return limited;
    auto dialled = net::dialBlocking(server.endpoint(), std::chrono::seconds(10));
    if (!dialled)
        return failure(std::move(dialled.error()));
    auto reply = dialled->connection->execute(scenarios::confiningCommand(), std::chrono::seconds(10));
    if (!reply)
        return failure(std::move(reply.error()));
    return reply->isError() ? failure(resp::serverError(*reply)) : Result<void>();
}

/// Replaces the error of a lost connection with the story's memory limit, the only way in which a story can end a
/// server.
Error explained(const Error &error)
{
    if (error.kind != ErrorKind::ConnectionLost)
        return error;
    return {ErrorKind::Usage,
            CommandLine::tr("%1: it has ended its server, which may take no more than %2 MB of memory")
                .arg(error.message().section(QLatin1String(": "), 0, 0))
                .arg(scenarios::maxMegabytes)};
}

/// Returns a virtual clock for the servers, which only advances in the story. Null if no time passes in the story, or
/// if the clock is not available.
std::unique_ptr<shim::ServerClock> clockFor(const RecordedSchedule &schedule)
{
    const auto passes = [](const schedules::ScheduleStep &step) { return step.passed.count() > 0; };
    if (std::ranges::none_of(schedule.steps, passes) || clockLibrary().isEmpty())
        return nullptr;
    auto clock = shim::ServerClock::create(clockLibrary(), races::Attempt::startOfTime());
    return clock ? std::move(*clock) : nullptr;
}

Result<Performance> perform(const RecordedSchedule &schedule, bool isPrinted)
{
    base::UnixSignals interrupts {SIGINT, SIGTERM, SIGHUP}; // Installed before the first server is started.
    auto clock = clockFor(schedule);                        // Must outlive the servers.
    std::vector<std::unique_ptr<PrivateServer>> servers;
    std::vector<net::Endpoint> endpoints;
    for (int i = 0; i < schedule.servers; ++i) {
        auto &server = servers.emplace_back(std::make_unique<PrivateServer>());
        if (clock)
            server->setLaunchHook([&clock](process::Launch &launch) { clock->show(launch); });
        // The expected cause of a crash is the memory limit, so a crash log is not needed.
        if (auto started = server->startAndWait({QStringLiteral("--crash-log-enabled"), QStringLiteral("no")});
            !started)
            return failure(std::move(started.error()));
        if (auto confined = confine(*server); !confined)
            return failure(std::move(confined.error()));
        endpoints.push_back(server->endpoint());
        if (clock && !clock->usesOnlyVirtualClock(static_cast<pid_t>(server->processId())))
            clock.reset();
    }
    schedules::SchedulePlayer player(schedule, std::move(endpoints));
    if (clock)
        player.setClock([&clock](std::chrono::milliseconds time) { clock->set(time); });
    if (auto begun = player.begin(); !begun)
        return failure(explained(begun.error()));
    if (isPrinted)
        printBeforehand(schedule);
    Performance performance;
    while (performance.hasPassed && !player.isOver()) {
        if (interrupts.take()) {
            performance.isStopped = true;
            break;
        }
        auto played = player.playNext();
        if (!played)
            return failure(explained(played.error()));
        performance = {player.played(), played->hasPassed, false, std::move(played->reply)};
        if (isPrinted)
            printStep(schedule, performance.steps - 1);
    }
    return performance;
}

void printText(const RecordedSchedule &schedule, const Performance &performance)
{
    if (!performance.hasPassed)
        printBytes('\n'
                   + CommandLine::tr("Failed: the server answers %1 to step %2.")
                         .arg(performance.reply.toText())
                         .arg(performance.steps)
                         .toUtf8()
                   + '\n');
    else
        printBytes('\n'
                   + (schedule.verdict.isEmpty()
                          ? CommandLine::tr("Passed: all replies are equal to those of the story.")
                          : CommandLine::tr("Passed: all replies are equal to those of the story: %1.")
                                .arg(schedules::translatedViolation(schedule.verdict)))
                         .toUtf8()
                   + '\n');
}

void printAsJson(const RecordedSchedule &schedule, const Performance &performance)
{
    QJsonObject object {
        {QStringLiteral("title"), schedule.title},
        {QStringLiteral("outcome"), performance.hasPassed ? QStringLiteral("passed") : QStringLiteral("failed")},
        {QStringLiteral("steps"), static_cast<qint64>(performance.steps)},
    };
    if (!performance.hasPassed)
        object[QStringLiteral("reply")] = performance.reply.toText();
    printJson(object);
}

} // namespace

Result<QByteArray> readStoryFile(const QString &path)
{
    return files::contentsOf(path, maxFileSize);
}

void printSteps(const RecordedSchedule &schedule)
{
    printBeforehand(schedule);
    for (std::size_t i = 0; i < schedule.steps.size(); ++i)
        printStep(schedule, i);
}

Result<QString> saveStory(const RecordedSchedule &schedule, const QString &id, const QString &folder)
{
    QString path = QDir(folder).filePath(QStringLiteral("%1.%2.json").arg(schedule.recipe, id));
    if (auto saved = files::saveFile(path, schedules::toFile(schedule)); !saved)
        return failure(std::move(saved.error()));
    return path;
}

ExitCode playStory(const QString &path, bool asJson)
{
    const auto schedule = readStory(path);
    if (!schedule)
        return printError(schedule.error().during(path));
    if (!asJson)
        std::printf("%s\n\n", qPrintable(scenarios::titleOf(*schedule)));
    const auto performance = perform(*schedule, !asJson);
    if (!performance)
        return printError(performance.error().during(path));
    if (performance->isStopped)
        return printError(base::Error {ErrorKind::Local, path + CommandLine::tr(": stopped before its end")});
    if (asJson)
        printAsJson(*schedule, *performance);
    else
        printText(*schedule, *performance);
    return performance->hasPassed ? ExitCode::Yes : ExitCode::No;
}

} // namespace latchkey::cli

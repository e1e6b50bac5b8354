#include "app/cli/explorationtexts.h"

#include "app/cli/exploration.h"
#include "app/cli/output.h"
#include "app/cli/storyfiles.h"
#include "app/help/commandline.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/searchtexts.h"

#include <QDir>

namespace latchkey::cli {

using help::CommandLine;
using races::Finder;
using races::PromiseResult;

QString countText(double count)
{
    return schedules::countText(count, QLocale::c());
}

QString schedulesText(double count)
{
    return count == 1 ? CommandLine::tr("1 schedule") : CommandLine::tr("%1 schedules").arg(countText(count));
}

QString statesText(double count)
{
    return count == 1 ? CommandLine::tr("1 state") : CommandLine::tr("%1 states").arg(countText(count));
}

QString stepsText(double count)
{
    return count == 1 ? CommandLine::tr("1 step") : CommandLine::tr("%1 steps").arg(countText(count));
}

double schedulesOf(const Finder &finder)
{
    double schedules = 0;
    for (const PromiseResult &result : finder.results())
        schedules += result.schedules;
    return schedules;
}

QStringList unansweredOf(const Finder &finder)
{
    QStringList unanswered = finder.promises();
    for (const PromiseResult &result : finder.results())
        unanswered.removeAll(result.promise);
    return unanswered;
}

QJsonArray promisesJson(const Finder &finder, const SavedStories &saved)
{
    QJsonArray promises;
    for (const PromiseResult &result : finder.results()) {
        QJsonObject object = toJson(result);
        if (const auto path = saved.find(result.promise); path != saved.end())
            object[QStringLiteral("story")] = path->second;
        promises += object;
    }
    return promises;
}

namespace {

QJsonValue stuckScheduleJson(const std::optional<schedules::RecordedSchedule> &schedule, QLatin1String id,
                             const SavedStories &saved)
{
    if (!schedule)
        return {};
    QJsonObject object {{QStringLiteral("counterexample"), schedules::toJson(schedule->steps)}};
    if (const auto path = saved.find(id); path != saved.end())
        object[QStringLiteral("story")] = path->second;
    return object;
}

} // namespace

QJsonValue deadlockJson(const Finder &finder, const SavedStories &saved)
{
    return stuckScheduleJson(finder.deadlock(), deadlockId, saved);
}

QJsonValue livelockJson(const Finder &finder, const SavedStories &saved)
{
    return stuckScheduleJson(finder.livelock(), livelockId, saved);
}

base::Result<SavedStories> saveStories(const Finder &finder, const QString &folder)
{
    SavedStories saved;
    for (const PromiseResult &result : finder.results()) {
        if (!result.counterexample)
            continue;
        auto path = saveStory(*result.counterexample, result.promise, folder);
        if (!path)
            return base::failure(std::move(path.error()));
        saved[result.promise] = std::move(*path);
    }
    for (const auto &[id, schedule] :
         {std::pair(deadlockId, &finder.deadlock()), std::pair(livelockId, &finder.livelock())}) {
        if (!*schedule)
            continue;
        auto path = saveStory(**schedule, id, folder);
        if (!path)
            return base::failure(std::move(path.error()));
        saved[id] = std::move(*path);
    }
    return saved;
}

base::Result<void> makeStoryFolder(const Arguments &arguments)
{
    if (arguments.isSet("save") && arguments.text("save").isEmpty())
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--save: the folder is missing"));
    if (arguments.isSet("save") && !QDir().mkpath(arguments.text("save")))
        return base::failure(base::ErrorKind::Local,
                             CommandLine::tr("--save: %1 cannot be made").arg(arguments.text("save")));
    return {};
}

base::Result<std::optional<int>> numberFrom(const Arguments &arguments, const char *option, int minimum, int maximum)
{
    if (!arguments.isSet(option))
        return std::nullopt;
    bool isNumber = false;
    const int number = arguments.text(option).toInt(&isNumber);
    if (!isNumber || number < minimum || number > maximum)
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--%1 %2: not a whole number from %3 to %4")
                                                         .arg(QLatin1String(option), arguments.text(option))
                                                         .arg(minimum)
                                                         .arg(maximum));
    return number;
}

} // namespace latchkey::cli

#include "app/cli/storyfiles.h"

#include "app/cli/output.h"
#include "core/server/privateserver.h"
#include "core/stories/player.h"
#include "core/stories/storyfile.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <cstdio>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using server::PrivateServer;
using stories::Step;
using stories::Story;

namespace {

/// No story that is worth playing is longer, and no other file should be read as a whole.
constexpr qint64 largestFile = 64 << 20;

Result<Story> readStory(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Usage, file.errorString());
    if (file.size() > largestFile)
        return failure(ErrorKind::Usage, QStringLiteral("too large for a story"));
    return stories::fromFile(file.readAll());
}

/// A story on servers of its own, and where it stopped going as it tells.
struct Performance
{
    std::size_t steps = 0;
    bool isAsTold = true;
    resp::Reply reply; ///< The one that differs.
};

Result<Performance> perform(const Story &story, bool isToldAloud)
{
    std::vector<std::unique_ptr<PrivateServer>> servers;
    std::vector<resp::Endpoint> endpoints;
    for (int i = 0; i < story.servers; ++i) {
        auto &server = servers.emplace_back(std::make_unique<PrivateServer>());
        if (auto started = server->startAndWait(); !started)
            return failure(std::move(started.error()));
        endpoints.push_back(server->endpoint());
    }
    stories::Player player(story, std::move(endpoints));
    if (auto begun = player.begin(); !begun)
        return failure(std::move(begun.error()));
    Performance performance;
    while (performance.isAsTold && !player.isOver()) {
        const Step &step = story.steps[player.played()];
        auto played = player.playNext();
        if (!played)
            return failure(std::move(played.error()));
        performance = {player.played(), played->isAsTold, std::move(played->reply)};
        if (isToldAloud)
            std::printf("      %2zu  %s\n", performance.steps, qPrintable(step.toText()));
    }
    return performance;
}

void printForPeople(const Story &story, const Performance &performance)
{
    if (!performance.isAsTold)
        std::printf("\nIt went differently: the server answers %s to step %zu.\n",
                    qPrintable(performance.reply.toText()), performance.steps);
    else
        std::printf("\nEverything went as the story tells%s.\n",
                    qPrintable(story.verdict.isEmpty() ? QString() : QStringLiteral(": ") + story.verdict));
}

void printAsJson(const Story &story, const Performance &performance)
{
    QJsonObject object {
        {QStringLiteral("title"), story.title},
        {QStringLiteral("outcome"), performance.isAsTold ? QStringLiteral("as-told") : QStringLiteral("differs")},
        {QStringLiteral("steps"), static_cast<qint64>(performance.steps)},
    };
    if (!performance.isAsTold)
        object[QStringLiteral("reply")] = performance.reply.toText();
    printJson(object);
}

} // namespace

Result<QString> saveStory(const Story &story, const QString &folder)
{
    QString path = QDir(folder).filePath(QStringLiteral("%1.%2.json").arg(story.recipe, story.promise));
    if (!QDir().mkpath(folder))
        return failure(ErrorKind::Local, QStringLiteral("%1 cannot be made").arg(folder));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(stories::toFile(story)) < 0 || !file.commit())
        return failure(ErrorKind::Local, QStringLiteral("%1: %2").arg(path, file.errorString()));
    return path;
}

ExitCode playStory(const QString &path, bool asJson)
{
    const auto story = readStory(path);
    if (!story)
        return complain(story.error().during(path));
    if (!asJson)
        std::printf("%s\n\n", qPrintable(story->title));
    const auto performance = perform(*story, !asJson);
    if (!performance)
        return complain(performance.error().during(path));
    if (asJson)
        printAsJson(*story, *performance);
    else
        printForPeople(*story, *performance);
    return performance->isAsTold ? ExitCode::Yes : ExitCode::No;
}

} // namespace latchkey::cli

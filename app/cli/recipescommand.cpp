#include "app/cli/command.h"
#include "app/cli/output.h"
#include "core/locks/catalogue.h"

#include <cstdio>

namespace latchkey::cli {

namespace {

QStringList promiseIds(const locks::Recipe &recipe)
{
    QStringList ids;
    for (const locks::Promise promise : recipe.promises)
        ids += locks::promiseId(promise);
    return ids;
}

ExitCode run(const Arguments &arguments)
{
    QJsonArray array;
    for (const locks::Recipe &recipe : locks::recipes()) {
        if (arguments.wantsJson()) {
            array += QJsonObject {
                {QStringLiteral("id"), recipe.id},
                {QStringLiteral("family"), QStringLiteral("lock")},
                {QStringLiteral("title"), recipe.title},
                {QStringLiteral("promises"), QJsonArray::fromStringList(promiseIds(recipe))},
            };
            continue;
        }
        std::printf("%-14s lock   %s\n", qPrintable(recipe.id), qPrintable(recipe.title));
        std::printf("               %s\n", qPrintable(recipe.summary));
        if (!recipe.flaw.isEmpty())
            std::printf("               But: %s\n", qPrintable(recipe.flaw));
        std::printf("               Promises %s.\n", qPrintable(promiseIds(recipe).join(QStringLiteral(", "))));
    }
    if (arguments.wantsJson())
        printJson(array);
    return ExitCode::Yes;
}

} // namespace

Command recipesCommand()
{
    return {
        "recipes",
        {"", 0, 0},
        "lists the recipes and what each promises",
        "Prints every recipe of the catalogue: its id, what it does, what is wrong with it, and its promises.\n"
        "With --json an array of {id, family, title, promises}.\n"
        "\n"
        "Example:\n"
        "  latchkey-cli recipes --json\n",
        {},
        run,
    };
}

} // namespace latchkey::cli

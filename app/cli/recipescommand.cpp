#include "app/cli/command.h"
#include "app/cli/output.h"
#include "core/caches/catalogue.h"
#include "core/locks/catalogue.h"

#include <cstdio>

namespace latchkey::cli {

namespace {

/// Recipe: of the locks or of the caches, which have their promises each.
template<typename Recipe>
QStringList promiseIds(const Recipe &recipe)
{
    QStringList ids;
    for (const auto promise : recipe.promises)
        ids += promiseId(promise);
    return ids;
}

template<typename Recipe>
QJsonObject toJson(const Recipe &recipe, const char *family)
{
    return {
        {QStringLiteral("id"), recipe.id},
        {QStringLiteral("family"), QLatin1String(family)},
        {QStringLiteral("title"), recipe.title.toString()},
        {QStringLiteral("promises"), QJsonArray::fromStringList(promiseIds(recipe))},
        {QStringLiteral("commands"), QJsonArray::fromStringList(recipe.commands)},
    };
}

template<typename Recipe>
void print(const Recipe &recipe, const char *family)
{
    std::printf("%-23s  %-5s  %s\n", qPrintable(recipe.id), family, qPrintable(recipe.title.toString()));
    std::printf("    %s\n", qPrintable(recipe.summary.toString()));
    if (!recipe.flaw.isEmpty())
        std::printf("    But: %s\n", qPrintable(recipe.flaw.toString()));
    std::printf("    Promises %s.\n", qPrintable(promiseIds(recipe).join(QStringLiteral(", "))));
    std::printf("    Needs the commands %s.\n", qPrintable(recipe.commands.join(QStringLiteral(", "))));
}

ExitCode run(const Arguments &arguments)
{
    if (arguments.wantsJson()) {
        QJsonArray array;
        for (const locks::Recipe &recipe : locks::recipes())
            array += toJson(recipe, "lock");
        for (const caches::Recipe &recipe : caches::recipes())
            array += toJson(recipe, "cache");
        printJson(array);
        return ExitCode::Yes;
    }
    for (const locks::Recipe &recipe : locks::recipes())
        print(recipe, "lock");
    for (const caches::Recipe &recipe : caches::recipes())
        print(recipe, "cache");
    return ExitCode::Yes;
}

} // namespace

Command recipesCommand()
{
    return {
        "recipes",
        {"", 0, 0},
        "lists the recipes and what each promises",
        "Prints every recipe of the two catalogues, locks and caches: its id, what it does, what is wrong with it, "
        "its promises, and the commands that a user has to be permitted for it.\n"
        "\n"
        "TYPE is asked for as well, where it is permitted, so that a key which holds something else is not touched; "
        "CLIENT and INFO when connecting; SELECT for another database than 0. get --json is what needs PTTL.\n"
        "\n"
        "With --json an array of {id, family, title, promises, commands}.\n"
        "\n"
        "Example:\n"
        "  latchkey-cli recipes --json\n",
        {},
        run,
    };
}

} // namespace latchkey::cli

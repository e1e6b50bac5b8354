#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/promisetexts.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// Returns the promise ids of a recipe. Recipe: a type of the lock or the cache catalogue.
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
void print(const Recipe &recipe, const QString &family)
{
    const auto printLine = [](const QString &line) { printBytes(line.toUtf8() + '\n'); };
    const QString indent(4, u' ');
    const QString separator = QStringLiteral(", ");
    printLine(QStringLiteral("%1  %2  %3").arg(recipe.id, -23).arg(help::padded(family, 5), recipe.title.toString()));
    printLine(indent + recipe.summary.toString());
    if (!recipe.flaw.isEmpty())
        printLine(indent + CommandLine::tr("But: %1").arg(recipe.flaw.toString()));
    printLine(indent + CommandLine::tr("Promises %1.").arg(promiseIds(recipe).join(separator)));
    printLine(indent + CommandLine::tr("Needs the commands %1.").arg(recipe.commands.join(separator)));
}

ExitCode runRecipes(const Arguments &arguments)
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
        print(recipe, CommandLine::tr("lock"));
    for (const caches::Recipe &recipe : caches::recipes())
        print(recipe, CommandLine::tr("cache"));
    printBytes('\n' + help::filled(promiseDefinitions(), help::helpWidth()).toUtf8());
    return ExitCode::Yes;
}

} // namespace

Command recipesCommand()
{
    return {
        "recipes",
        {"", 0, 0},
        QT_TRANSLATE_NOOP("CommandLine", "lists the recipes and what each promises"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Prints every recipe of the two catalogues, locks and caches: its id, purpose, flaw and promises, and the commands that its user needs permission for.

If TYPE is permitted, it is sent too, so that a key of another type is not changed. Connecting uses CLIENT and INFO, and SELECT for a database other than 0. In the cache recipes, only get --json needs PTTL.

With --json an array of {id, family, title, promises, commands}.

Example:
  latchkey-cli recipes --json
)help"),
        {},
        runRecipes,
    };
}

} // namespace latchkey::cli

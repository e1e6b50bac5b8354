#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/explore/schedules/searchtexts.h"
#include "core/recipes/caches/catalogue.h"

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;

namespace {

QJsonObject toJson(const catalogue::Recipe &recipe)
{
    return {
        {QStringLiteral("id"), recipe.id},
        {QStringLiteral("family"), recipe.isLock ? QStringLiteral("lock") : QStringLiteral("cache")},
        {QStringLiteral("title"), recipe.title.toString()},
        {QStringLiteral("promises"), QJsonArray::fromStringList(recipe.promiseIds())},
        {QStringLiteral("commands"), QJsonArray::fromStringList(recipe.commands)},
    };
}

void print(const catalogue::Recipe &recipe)
{
    const QString family = recipe.isLock ? CommandLine::tr("lock") : CommandLine::tr("cache");
    const auto printLine = [](const QString &line) { printBytes(line.toUtf8() + '\n'); };
    const QString indent(4, u' ');
    const QString separator = QStringLiteral(", ");
    printLine(QStringLiteral("%1  %2  %3").arg(recipe.id, -23).arg(help::padded(family, 5), recipe.title.toString()));
    printLine(indent + recipe.summary.toString());
    if (!recipe.flaw.isEmpty())
        printLine(indent + CommandLine::tr("But: %1").arg(recipe.flaw.toString()));
    printLine(indent + CommandLine::tr("Promises %1.").arg(recipe.promiseIds().join(separator)));
    printLine(indent + CommandLine::tr("Needs the commands %1.").arg(recipe.commands.join(separator)));
}

ExitCode runRecipes(const Arguments &arguments)
{
    if (arguments.wantsJson()) {
        QJsonArray array;
        for (const catalogue::Recipe *recipe : caches::allRecipes())
            array += toJson(*recipe);
        printJson(array);
        return ExitCode::Yes;
    }
    for (const catalogue::Recipe *recipe : caches::allRecipes())
        print(*recipe);
    printBytes('\n' + help::filled(schedules::promiseDefinitions(), help::helpWidth()).toUtf8());
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

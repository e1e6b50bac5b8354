#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

#include <vector>

namespace latchkey::cli {

/// The catalogue that a command's RECIPE is looked up in.
enum class RecipeFamily : quint8 { Any, Locks, LocksThatExtend, Caches };

/// One command of the program: how it is called, what --help says, and what it does.
/// Made by the functions below, kept by main()'s table.
struct Command
{
    const char *name = nullptr;
    Arguments::Spec spec;
    const char *summary = nullptr; ///< One line, for the list of commands.
    const char *help = nullptr;    ///< Options, output, exit codes and examples, for `COMMAND --help`.
    QList<QCommandLineOption> options;
    ExitCode (*run)(const Arguments &arguments) = nullptr;
    RecipeFamily recipes = RecipeFamily::Any; ///< For the shells' completion.
    QString (*appendix)() = nullptr;          ///< Behind the help; null: nothing.
};

/// main()'s table, in the order of --help.
[[nodiscard]] const std::vector<Command> &commands();

[[nodiscard]] Command recipesCommand();
[[nodiscard]] Command acquireCommand();
[[nodiscard]] Command releaseCommand();
[[nodiscard]] Command extendCommand();
[[nodiscard]] Command runCommand();
[[nodiscard]] Command putCommand();
[[nodiscard]] Command getCommand();
[[nodiscard]] Command lsCommand();
[[nodiscard]] Command watchCommand();
[[nodiscard]] Command replayCommand();
[[nodiscard]] Command whyCommand();
[[nodiscard]] Command expectCommand();
[[nodiscard]] Command labCommand();
[[nodiscard]] Command exploreCommand();
[[nodiscard]] Command storyCommand();
[[nodiscard]] Command actorCommand();
[[nodiscard]] Command completionCommand();

} // namespace latchkey::cli

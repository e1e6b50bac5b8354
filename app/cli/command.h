#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

#include <vector>

namespace latchkey::cli {

/// The catalogue for the argument RECIPE of a command.
enum class RecipeFamily : quint8 { Any, Locks, LocksThatExtend, Caches };

/// A command of the program: name, help and function. Created by the functions below, which commands() in
/// main.cpp collects.
struct Command
{
    const char *name = nullptr;
    Arguments::Spec spec;
    const char *summary = nullptr; ///< One line for the list of commands.
    const char *help = nullptr;    ///< Options, output, exit codes and examples, for `COMMAND --help`.
    QList<QCommandLineOption> options;
    ExitCode (*run)(const Arguments &arguments) = nullptr;
    RecipeFamily recipes = RecipeFamily::Any; ///< For shell completion.
    QString (*appendix)() = nullptr;          ///< Text after the help; null without one.
};

/// Returns the commands in the order of --help.
[[nodiscard]] const std::vector<Command> &commands();
/// Returns the command of this name. Error (Usage): there is none; the text suggests a similar one.
[[nodiscard]] base::Result<const Command *> findCommand(const QByteArray &name);

[[nodiscard]] Command recipesCommand();
[[nodiscard]] Command acquireCommand();
[[nodiscard]] Command releaseCommand();
[[nodiscard]] Command extendCommand();
[[nodiscard]] Command runCommand();
[[nodiscard]] Command putCommand();
[[nodiscard]] Command getCommand();
[[nodiscard]] Command lsCommand();
[[nodiscard]] Command statusCommand();
[[nodiscard]] Command watchCommand();
[[nodiscard]] Command replayCommand();
[[nodiscard]] Command whyCommand();
[[nodiscard]] Command expectCommand();
[[nodiscard]] Command labCommand();
[[nodiscard]] Command exploreCommand();
[[nodiscard]] Command storyCommand();
[[nodiscard]] Command actorCommand();
[[nodiscard]] Command completionCommand();
[[nodiscard]] Command helpCommand();
[[nodiscard]] Command versionCommand();

} // namespace latchkey::cli

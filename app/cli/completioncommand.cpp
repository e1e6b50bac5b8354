// completion: shell completion.

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"

namespace latchkey::cli {

namespace {

ExitCode runCompletion(const Arguments &arguments)
{
    const auto script = completionScript(arguments.positionalText(0), commands());
    if (!script)
        return printError(script.error());
    printBytes(*script);
    return ExitCode::Yes;
}

} // namespace

Command completionCommand()
{
    return {
        "completion",
        {"bash|zsh", 1, 1},
        QT_TRANSLATE_NOOP("CommandLine", "prints the completion script of a shell"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Prints a script after which the shell completes commands, options, recipes, promises and files, and after `--` the words of another command. It is made from the tables of this program, so source it each time instead of keeping a copy:

  bash, in ~/.bashrc  source <(latchkey-cli completion bash)
  zsh, in ~/.zshrc    source <(latchkey-cli completion zsh)  # after compinit

Exit code: 0, 2 for another shell.

Example:
  source <(latchkey-cli completion bash)
)help"),
        {},
        runCompletion,
    };
}

} // namespace latchkey::cli

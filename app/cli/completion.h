#pragma once

#include "app/cli/command.h"
#include "core/base/error.h"

#include <vector>

namespace latchkey::cli {

/// A script that teaches a shell, `bash` or `zsh`, to complete these commands: their names, options, recipes and files.
///
/// What stands in it comes from the table of commands and from the catalogues, so a new command or recipe needs nothing
/// here. How a value is completed follows from its name in the usage line, or in the option: FILE, RECIPE, PROMISE,
/// COMMAND, or the alternatives themselves (`s|ms`); every other one is left to the user. Error: Usage.
[[nodiscard]] base::Result<QByteArray> completionScript(const QString &shell, const std::vector<Command> &commands);

} // namespace latchkey::cli

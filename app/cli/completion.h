#pragma once

#include "app/cli/command.h"
#include "core/foundation/base/error.h"

#include <vector>

namespace latchkey::cli {

/// Returns a completion script for a shell, `bash` or `zsh`. It completes names of commands, options, recipes and
/// files.
///
/// The script is generated from the table of commands and the catalogues, so a new command or recipe needs no change of
/// the script. The placeholder in the usage line, or in the option, selects the completion of a value: FILE, RECIPE,
/// PROMISE, COMMAND, or alternatives (`s|ms`). Other values are not completed. Error: Usage.
[[nodiscard]] base::Result<QByteArray> completionScript(const QString &shell, const std::vector<Command> &commands);

} // namespace latchkey::cli

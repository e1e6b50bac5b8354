#pragma once

#include "app/cli/exitcode.h"

#include <QByteArray>

namespace latchkey::cli {

struct Command;

/// Prints the help of the command of this name. Without a name, prints the help of the program: commands, options of
/// every command, environment and exit codes.
[[nodiscard]] ExitCode printHelpFor(const QByteArray &name);
/// Prints the help of a command.
void printHelpOf(const Command &command);
void printVersion();

} // namespace latchkey::cli

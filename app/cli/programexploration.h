#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

namespace latchkey::cli {

/// Runs `explore -- COMMAND...`: searches for races in a program.
[[nodiscard]] ExitCode exploreProgram(const Arguments &arguments);

} // namespace latchkey::cli

#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

#include <QCommandLineOption>

namespace latchkey::cli {

/// Runs `explore -- COMMAND...`: searches for races in a program.
[[nodiscard]] ExitCode exploreProgram(const Arguments &arguments);

/// Returns the options of `explore` that are for programs only.
[[nodiscard]] QList<QCommandLineOption> programOptions();

} // namespace latchkey::cli

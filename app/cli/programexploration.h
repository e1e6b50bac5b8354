#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

#include <QCommandLineOption>

namespace latchkey::cli {

/// `explore -- COMMAND...`: the races of a program.
[[nodiscard]] ExitCode exploreProgram(const Arguments &arguments);

/// The options of `explore` that only a program has a use for.
[[nodiscard]] QList<QCommandLineOption> programOptions();

} // namespace latchkey::cli

#pragma once

#include "app/cli/command.h"
#include "app/cli/searchplan.h"

namespace latchkey::cli {

/// One program of a file of `explore --config`.
struct ConfiguredProgram
{
    Arguments arguments; ///< The same as a command line, `explore OPTION... -- COMMAND...`.
    SearchPlan plan;
};

/// Reads the file of --config.
///
/// The fields of a program have the names of the options. Each program becomes a command line, so that the same code
/// checks its options. The options --json, --progress and --save of `arguments` are passed to each program. `command`:
/// `explore`, for its options. Error (Usage): the file is missing or malformed; the text has the line and the column.
[[nodiscard]] base::Result<std::vector<ConfiguredProgram>> programsOfConfig(const Arguments &arguments,
                                                                            const Command &command);

} // namespace latchkey::cli

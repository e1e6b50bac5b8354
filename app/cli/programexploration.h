#pragma once

#include "app/cli/explorationreports.h"
#include "app/cli/searchplan.h"

namespace latchkey::cli {

/// The result of one search.
struct SearchOutcome
{
    ExitCode exitCode = ExitCode::Yes;
    bool isStopped = false; ///< Whether the user has stopped the search.
};

/// Explores a program, prints the results and adds them to the reports.
[[nodiscard]] SearchOutcome searchProgram(SearchPlan &plan, const Arguments &arguments, ExplorationReports &reports);

/// Runs `explore -- COMMAND...`: searches for races in a program.
[[nodiscard]] ExitCode exploreProgram(const Arguments &arguments);

} // namespace latchkey::cli

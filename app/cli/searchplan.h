#pragma once

#include "app/cli/arguments.h"
#include "core/explore/programs/program.h"
#include "core/explore/races/finder.h"

#include <chrono>
#include <optional>

namespace latchkey::cli {

/// The program to explore, with the limits of the search.
struct SearchPlan
{
    programs::Program program;
    int clients = 2;
    races::Finder::Options options;
    std::optional<std::chrono::milliseconds> longest;
};

/// Reads the options of `explore -- COMMAND...`. Error: Usage.
[[nodiscard]] base::Result<SearchPlan> searchPlanFrom(const Arguments &arguments);

} // namespace latchkey::cli

#pragma once

#include "app/cli/command.h"

namespace latchkey::cli {

/// Runs `explore --config FILE`: explores the programs of a file one after the other, with common reports. `command`:
/// `explore`, for its options.
[[nodiscard]] ExitCode exploreFromConfig(const Arguments &arguments, const Command &command);

} // namespace latchkey::cli

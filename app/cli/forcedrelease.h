#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"

namespace latchkey::cli {

/// Returns the options --force and --yes.
[[nodiscard]] QList<QCommandLineOption> forceOptions();

/// Releases a lock of another client, for `release [RECIPE] KEY --force`. Deletes the key if it is unchanged since it
/// was read, and wakes waiting clients as the lock's library does. Asks for confirmation on a terminal unless --yes is
/// given.
[[nodiscard]] ExitCode releaseByForce(const Arguments &arguments);

} // namespace latchkey::cli

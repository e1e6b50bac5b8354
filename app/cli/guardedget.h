#pragma once

#include "app/cli/cacheoperation.h"

namespace latchkey::cli {

/// Returns the options of guarded reads: --ttl, --policy, --wait, --lease, --stale-for.
[[nodiscard]] QList<QCommandLineOption> guardedGetOptions();

/// Runs `get guarded KEY … -- COMMAND`: prints the value. After a miss, prints and caches the output of COMMAND.
[[nodiscard]] ExitCode getGuarded(CacheOperation &operation, const Arguments &arguments);

} // namespace latchkey::cli

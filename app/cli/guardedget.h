#pragma once

#include "app/cli/cacheoperation.h"

namespace latchkey::cli {

/// How a guarded value is got: --ttl, --policy, --wait, --lease, --stale-for.
[[nodiscard]] QList<QCommandLineOption> guardedGetOptions();

/// `get guarded KEY … -- COMMAND`: prints the value; after a miss that of COMMAND, which then is cached.
[[nodiscard]] ExitCode getGuarded(CacheOperation &operation, const Arguments &arguments);

} // namespace latchkey::cli

#pragma once

#include "app/cli/exitcode.h"
#include "core/foundation/base/error.h"
#include "core/redis/exchange/blockingdriver.h"

namespace latchkey::cli {

/// Returns why the keys that the servers of a driver have shown may be out of date: a server is a replica, and its link
/// to the primary is down. Sends INFO on the connections of the driver, after the answer that is checked.
///
/// Absent for a cluster, because a node sends a request to the primary of the key, and absent also if a server refuses
/// INFO. `servers`: number of servers of the driver.
[[nodiscard]] std::optional<base::Error> readStaleness(exchange::BlockingDriver &driver, int servers = 1);

/// Returns the error (StaleReplica) for an answer that relies on such keys: "keys may be missing or out of date".
[[nodiscard]] base::Result<void> refuseStaleAnswer(exchange::BlockingDriver &driver, int servers = 1);

/// Prints that the replies came from a replica that has lost its primary, so that the state of a lock is unknown. A
/// replica refuses every write, so nothing was changed. `name`: the operation. Returns the exit code.
[[nodiscard]] ExitCode printStale(const QString &name, const base::Error &stale, bool wantsJson);

} // namespace latchkey::cli

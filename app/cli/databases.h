#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/lsprinter.h"
#include "core/redis/net/endpoint.h"

#include <chrono>
#include <functional>

namespace latchkey::cli {

/// Lists the databases that `INFO keyspace` names, which are those with keys, one after the other; for a cluster, its
/// only one. Without keys, database 0 is listed, which shows a refusal. `list`: lists the database of an endpoint.
/// Returns Error if the server refuses INFO or one listing fails.
[[nodiscard]] ExitCode listDatabases(const net::Endpoint &endpoint, std::chrono::milliseconds timeout,
                                     LsPrinter &printer, const std::function<ExitCode(const net::Endpoint &)> &list);

} // namespace latchkey::cli

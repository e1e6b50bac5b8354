#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/lsprinter.h"
#include "core/foundation/base/error.h"
#include "core/redis/net/endpoint.h"

#include <QByteArray>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace latchkey::cli {

/// Returns the databases that the text of `INFO keyspace` names, in ascending order: those that have keys. Absent if
/// the text has no section Keyspace, as from a server that answers without an answer.
[[nodiscard]] std::optional<std::vector<int>> databasesIn(const QByteArray &info);

/// Asks the server for its databases that have keys. Empty: the server has no key. A cluster has database 0. Error: no
/// connection, or the server refuses INFO.
[[nodiscard]] base::Result<std::vector<int>> askDatabases(const net::Endpoint &endpoint,
                                                          std::chrono::milliseconds timeout);

/// Lists the databases that have keys, one after the other. `list`: lists the database of an endpoint.
[[nodiscard]] ExitCode listDatabases(const net::Endpoint &endpoint, std::chrono::milliseconds timeout,
                                     LsPrinter &printer, const std::function<ExitCode(const net::Endpoint &)> &list);

} // namespace latchkey::cli

#pragma once

#include "app/cli/arguments.h"

namespace latchkey::cli {

/// Returns the options of a server: --url, --server, --timeout, and the parts of a URL (--host, --port, --db and
/// --user).
[[nodiscard]] QList<QCommandLineOption> serverOptions();

/// Returns whether --host or --port is given, so that LATCHKEY_URL is not used.
[[nodiscard]] bool namesHost(const Arguments &arguments);

/// Returns the server that these options describe. Absent if none is given. With --host or --port, it is a TCP server;
/// otherwise the server of LATCHKEY_URL or the local one, with another database or user. Errors (Usage): an invalid
/// part; parts together with --url or --server.
[[nodiscard]] base::Result<std::optional<net::Endpoint>> serverFromParts(const Arguments &arguments);

/// Prints each server, with the source of its address, to standard error.
void printServers(const Arguments &arguments, const std::vector<net::Endpoint> &servers);

/// Returns --timeout, 5 s by default. Error (Usage): it is no duration, or is not positive.
[[nodiscard]] base::Result<std::chrono::milliseconds> timeoutFrom(const Arguments &arguments);

} // namespace latchkey::cli

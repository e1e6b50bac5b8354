#pragma once

#include "app/cli/arguments.h"

namespace latchkey::cli {

/// Returns the options that name a server: --url, --server, and --host, --port, --db and --user, which name the parts
/// of a URL one by one; and --timeout.
[[nodiscard]] QList<QCommandLineOption> serverOptions();

/// Returns whether --host or --port is given, so that LATCHKEY_URL is not used.
[[nodiscard]] bool namesHost(const Arguments &arguments);

/// Returns the server that these options describe; absent if none is given. With --host or --port it is a TCP server;
/// else LATCHKEY_URL, or the local server, in another database or for another user. Errors (Usage): an invalid part,
/// parts beside --url or --server.
[[nodiscard]] base::Result<std::optional<net::Endpoint>> serverFromParts(const Arguments &arguments);

/// Prints each server, and where its address is from, to standard error.
void sayServers(const Arguments &arguments, const std::vector<net::Endpoint> &servers);

/// Returns --timeout, 5 s by default. Error (Usage): it is no duration, or not longer than zero.
[[nodiscard]] base::Result<std::chrono::milliseconds> timeoutFrom(const Arguments &arguments);

} // namespace latchkey::cli

#pragma once

#include "core/resp/endpoint.h"

namespace latchkey::servers {

/// Returns the endpoint in a text that a user has pasted: a URL, or a command line of redis-cli or valkey-cli. Options
/// of the command line that locate the server are read (`-h -p -s -n -a -u --user --pass --tls --cacert --cert --key
/// --sni`); the command itself is ignored. `host:port` alone is read as redis://. Errors (Usage) name what is invalid
/// or missing. `--insecure` is an error, because every certificate is verified.
[[nodiscard]] base::Result<resp::Endpoint> endpointFromPasted(const QString &text);

} // namespace latchkey::servers

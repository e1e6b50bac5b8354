#pragma once

#include "core/redis/net/endpoint.h"

namespace latchkey::connections {

/// Returns the endpoint in a text that a user has pasted: a URL, or a command line of redis-cli or valkey-cli. Options
/// of the command line that locate the server are read (`-h -p -s -n -a -u --user --pass --tls --cacert --cert --key
/// --sni`); other options and the command itself are ignored. `host:port` alone is read as redis://. Errors (Usage)
/// name what is invalid or missing. `--insecure` is an error, because every certificate is verified.
[[nodiscard]] base::Result<net::Endpoint> parsePastedServer(const QString &text);

} // namespace latchkey::connections

#pragma once

#include "core/resp/endpoint.h"

namespace latchkey::servers {

/// Where a text leads to that somebody has copied from elsewhere: a URL, or a command line of redis-cli or valkey-cli
/// with the options that say where the server is (`-h -p -s -n -a -u --user --pass --tls --cacert --cert --key --sni`);
/// what it is told to do there is left out. `host:port` alone is taken for redis://.
/// Errors (Usage) say what cannot be read or is missing; `--insecure` is one, since every certificate is verified.
[[nodiscard]] base::Result<resp::Endpoint> endpointFromPasted(const QString &text);

} // namespace latchkey::servers

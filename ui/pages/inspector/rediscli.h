#pragma once

#include "core/foundation/base/bytes.h"
#include "core/redis/net/endpoint.h"

#include <QString>

namespace latchkey::ui::inspector {

/// Returns a shell command that reads the PTTL of a key with redis-cli. The command is quoted and has no password:
/// redis-cli reads the password from REDISCLI_AUTH. A key that is empty or not printable ASCII is passed through
/// redis-cli's standard input. For a server behind SSH, redis-cli runs on the remote machine. Proxies are not
/// supported.
[[nodiscard]] QString redisCliCommand(const net::Endpoint &server, const base::Key &key);

} // namespace latchkey::ui::inspector

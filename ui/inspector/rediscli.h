#pragma once

#include "core/base/bytes.h"
#include "core/resp/endpoint.h"

#include <QString>

namespace latchkey::ui::inspector {

/// A command line that asks redis-cli for a key's PTTL on that server, ready for a shell: quoted, without the password
/// (redis-cli takes that from REDISCLI_AUTH), and by way of redis-cli's standard input where the key has bytes that no
/// command line can hold. Where the server is behind ssh, it is there that redis-cli is to run. It knows no proxies.
[[nodiscard]] QString redisCliCommand(const resp::Endpoint &server, const base::Key &key);

} // namespace latchkey::ui::inspector

#pragma once

#include "core/redis/net/endpoint.h"

namespace latchkey::net {

/// The extent to which an endpoint is written.
enum class Detail : quint8 {
    Way,       ///< Address and the route to it (ssh, proxy).
    All,       ///< Way, the options that verify the server's identity, and the address map.
    Passwords, ///< All and the secrets.
};

/// Returns the URL of an endpoint. With passwords, it is encoded for another process; otherwise it is for users, and
/// Endpoint::fromUrl() reads it back too.
[[nodiscard]] QString urlText(const Endpoint &endpoint, Detail detail);

} // namespace latchkey::net

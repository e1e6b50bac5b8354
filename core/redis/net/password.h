#pragma once

#include "core/redis/net/endpoint.h"

#include <optional>

namespace latchkey::net {

/// The sources of a server's password besides its URL.
struct PasswordSources
{
    bool isUrlTyped = false;        ///< Whether the URL was typed; otherwise it is from the environment.
    std::optional<QString> file;    ///< The first line of --password-file.
    QString environment;            ///< LATCHKEY_PASSWORD; empty: none.
    QString proxyEnvironment {};    ///< LATCHKEY_PROXY_PASSWORD, for a proxy URL without a password; empty: none.
    QString sentinelEnvironment {}; ///< LATCHKEY_SENTINEL_PASSWORD, for sentinels without a password; empty: none.
};

/// Returns the endpoint with the password from these sources. A typed password takes precedence over the environment.
/// Two sources of the same rank must not differ (Usage, without the passwords).
///
/// Typed sources are a URL's password and the file. Sources in the environment are the password in LATCHKEY_URL and
/// LATCHKEY_PASSWORD.
[[nodiscard]] base::Result<Endpoint> withPassword(Endpoint endpoint, const PasswordSources &sources);

} // namespace latchkey::net

#pragma once

#include "core/resp/endpoint.h"

#include <optional>

namespace latchkey::resp {

/// Where a user may have written a server's password, beside its URL.
struct PasswordSources
{
    bool isUrlTyped = false;     ///< The URL was typed, rather than taken from the environment.
    std::optional<QString> file; ///< The first line of --password-file.
    QString environment;         ///< LATCHKEY_PASSWORD; empty: none.
    QString proxyEnvironment {}; ///< LATCHKEY_PROXY_PASSWORD, for a proxy whose URL has none; empty: none.
};

/// The endpoint with the password that these come to: what was typed goes before the environment, and two places of
/// the same rank must not differ (Usage, without the passwords).
///
/// Typed are a URL's password and the file; of the environment are the password in LATCHKEY_URL and LATCHKEY_PASSWORD.
[[nodiscard]] base::Result<Endpoint> withPassword(Endpoint endpoint, const PasswordSources &sources);

} // namespace latchkey::resp

#pragma once

#include "core/redis/net/sentinelgroup.h"

class QUrl;

// Functions shared by the readers of a URL: refusals, and the host.

namespace latchkey::net {

// The names of the options, except those of TlsOptions and SentinelGroup.

constexpr QLatin1String databaseOption("db");
constexpr QLatin1String pinOption("pin");
constexpr QLatin1String sshOption("ssh");
constexpr QLatin1String proxyOption("proxy");
constexpr QLatin1String mapOption("map");

/// Returns the error (Usage) that names the URL, without its secrets, and its problem.
[[nodiscard]] tl::unexpected<base::Error> urlRefusal(const QString &url, const base::Text &why);

/// Returns host and port of a parsed URL. Error (Usage): the host is absent or cannot be written into a URL, or the
/// port is 0. `url`: the URL as typed, for the message. `defaultPort`: the port of a URL without one.
[[nodiscard]] base::Result<HostPort> hostPortFrom(const QString &url, const QUrl &parsed, quint16 defaultPort);

} // namespace latchkey::net

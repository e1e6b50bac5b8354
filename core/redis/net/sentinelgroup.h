#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/net/hostport.h"

#include <QString>

#include <optional>
#include <vector>

namespace latchkey::net {

/// The sentinels that know the address of a server, as a part of its Endpoint.
///
/// The endpoint's own host and port are those of the first sentinel, and its user and password are those of the server.
/// A value type. It holds a password, so it is never printed as a whole.
struct SentinelGroup
{
    static constexpr quint16 defaultPort = 26379;

    QString master;               ///< Name of the server at its sentinels; not empty.
    std::vector<HostPort> others; ///< The further sentinels, in the order in which they are asked.
    QString user;                 ///< User at the sentinels; empty: their default user.
    QString password;             ///< Password at the sentinels; empty: none.

    friend bool operator==(const SentinelGroup &, const SentinelGroup &) = default;
};

// The URL options for the login at the sentinels. Names with an underscore are also read, but never written.

constexpr QLatin1String sentinelUserOption("sentinel-user");
constexpr QLatin1String sentinelPasswordOption("sentinel-password");

/// A URL of sentinels in two parts: the sentinels, and the rest as a URL of a single server at the first sentinel.
struct SentinelUrl
{
    SentinelGroup group;
    QString single;
};

/// Divides `redis+sentinel://[user[:password]@]host[:port],host…/master[/db]`, the same with `rediss+sentinel://`, and
/// `redis-sentinel://…/[db]?sentinelMasterId=master`, which other libraries use. Absent if the URL has another scheme.
/// Error (Usage): the URL lacks a host or the name of the server, or has an invalid host. QUrl does not accept a list
/// of hosts, so this function divides the URL.
[[nodiscard]] base::Result<std::optional<SentinelUrl>> splitSentinelUrl(const QString &url);

} // namespace latchkey::net

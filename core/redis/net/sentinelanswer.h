#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

namespace latchkey::net {

// The request to a sentinel for the address of a server, and its reply. No I/O.

/// The answer of one sentinel: the address of the primary.
struct PrimaryAddress
{
    HostPort at;
    qint64 epoch = 0; ///< Number of the failover that made this server the primary; 0 if not reported.

    friend bool operator==(const PrimaryAddress &, const PrimaryAddress &) = default;
};

/// Returns the endpoints of the sentinels, with their login, in the order in which they are asked. Their TLS, ssh and
/// proxy options are those of the endpoint. `endpoint`: with sentinels.
[[nodiscard]] std::vector<Endpoint> sentinelsOf(const Endpoint &endpoint);
/// Returns the endpoint of the server that a sentinel names, at the address of the address map if that contains it.
[[nodiscard]] Endpoint serverAt(const Endpoint &endpoint, const HostPort &at);

/// Returns the commands of the request. With `wantsNames`, also requests the names of all primaries, for the message
/// about an unknown name.
[[nodiscard]] resp::Commands primaryRequest(const QString &master, bool wantsNames);
/// Returns the address from the replies to primaryRequest(). Error: the sentinel does not know the name, refuses the
/// request, or is not a sentinel. `sentinel`: for messages.
[[nodiscard]] base::Result<PrimaryAddress> primaryFrom(const Endpoint &sentinel, const QString &master,
                                                       const resp::Replies &replies);
/// Returns the error of a connection to a sentinel. For an error of the login, adds the user action.
[[nodiscard]] base::Error sentinelError(const Endpoint &sentinel, const base::Error &error);

} // namespace latchkey::net

#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

namespace latchkey::net {

// The question to a sentinel for the address of a server, and its answer. No I/O.

/// The answer of one sentinel: the address of the primary.
struct PrimaryAddress
{
    HostPort at;
    qint64 epoch = 0; ///< Number of the failover that made this server the primary; 0: not said.

    friend bool operator==(const PrimaryAddress &, const PrimaryAddress &) = default;
};

/// Returns the endpoints of the sentinels, with their login, in the order in which they are asked. They have TLS, ssh
/// and proxy of the endpoint. `endpoint`: with sentinels.
[[nodiscard]] std::vector<Endpoint> sentinelsOf(const Endpoint &endpoint);
/// Returns the endpoint of the server that a sentinel names.
[[nodiscard]] Endpoint serverAt(const Endpoint &endpoint, const HostPort &at);
[[nodiscard]] QString hostPortText(const HostPort &at);

/// Returns the commands of the question. The names of all primaries are asked too if `wantsNames`, for the message of
/// an unknown name.
[[nodiscard]] resp::Commands primaryQuestion(const QString &master, bool wantsNames);
/// Returns the address from the replies to primaryQuestion(). Error: the sentinel does not know the name, refuses the
/// question, or is not a sentinel. `sentinel`: for messages.
[[nodiscard]] base::Result<PrimaryAddress> primaryFrom(const Endpoint &sentinel, const QString &master,
                                                       const resp::Replies &replies);
/// Returns the error of a connection to a sentinel, with what to do if it is about the login there.
[[nodiscard]] base::Error sentinelError(const Endpoint &sentinel, const base::Error &error);

} // namespace latchkey::net

#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/serverinfo.h"

#include <optional>
#include <vector>

namespace latchkey::voting {

/// One of several servers, and the data with which it describes itself; empty if it does not.
struct DescribedServer
{
    net::Endpoint endpoint;
    resp::ServerInfo info {};
};

/// Returns an error if two of the servers are not independent, so that their votes would be counted twice: one server
/// under two addresses, or a node of a cluster.
[[nodiscard]] std::optional<base::Error> whyDependent(const std::vector<DescribedServer> &servers);

} // namespace latchkey::voting

#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/globs.h"
#include "core/redis/net/endpoint.h"

#include <chrono>

namespace latchkey::cli {

/// The server that a command watches: the server of the URL, or the node of a cluster that serves the keys.
struct WatchedNode
{
    net::Endpoint endpoint;
    /// Whether matching keys may be on other nodes of the cluster, which are not watched, or in slots that no node
    /// serves yet.
    bool isPart = false;
    struct Primary
    {
        net::Endpoint endpoint;
        std::vector<std::pair<int, int>> ranges; ///< First and last slot of each range; empty without a cluster.
    };
    /// All primaries of the cluster if isPart is set, that of the URL first. Empty if unknown. The server of the URL,
    /// if no node serves a slot.
    std::vector<Primary> primaries {};
    int unserved = 0; ///< Number of slots of the cluster that no node serves.
};

/// Finds the node to watch for these keys. Names without a wildcard that share a slot are on one node; all other keys
/// may be on any node. Errors: those of the connection.
[[nodiscard]] base::Result<WatchedNode> findWatchedNode(const net::Endpoint &server,
                                                        const std::vector<base::Glob> &globs,
                                                        std::chrono::milliseconds timeout);

} // namespace latchkey::cli

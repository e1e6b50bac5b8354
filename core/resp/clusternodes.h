#pragma once

#include "core/resp/reply.h"

#include <optional>

namespace latchkey::resp {

/// Which part of a cluster a node serves, as `CLUSTER NODES` tells.
struct ClusterPart
{
    int number = 0; ///< From 1, in the order of the nodes' first slots.
    int of = 0;     ///< How many nodes have slots.

    /// Of the node that gave the reply; a replica has its master's part. Nothing where the reply is none of a cluster's
    /// (an error, a single server), or the node has no part.
    [[nodiscard]] static std::optional<ClusterPart> fromNodes(const Reply &reply);

    friend bool operator==(const ClusterPart &, const ClusterPart &) = default;
};

} // namespace latchkey::resp

#pragma once

#include "core/redis/resp/reply.h"

#include <optional>
#include <vector>

namespace latchkey::resp {

/// The part of a cluster that a node serves, from `CLUSTER NODES`.
struct ClusterPart
{
    int number = 0; ///< Number from 1, in the order of the nodes' first slots.
    int of = 0;     ///< Number of nodes with slots.

    /// Returns the part of the node that sent the reply; a replica has its master's part. Absent if the reply is not
    /// from a cluster (an error, a standalone server), or if the node has no part.
    [[nodiscard]] static std::optional<ClusterPart> fromNodes(const Reply &reply);

    friend bool operator==(const ClusterPart &, const ClusterPart &) = default;
};

/// Returns the slots of the node that sent a reply to `CLUSTER NODES`. The text has its configuration epoch, its slots,
/// and in brackets the slots that migrate from or to it. Empty if the reply does not contain the node.
[[nodiscard]] QByteArray ownSlots(const Reply &reply);
/// Returns the slots that migrate from or to the node that sent a reply to `CLUSTER NODES`.
[[nodiscard]] std::vector<int> migratingSlots(const Reply &reply);

} // namespace latchkey::resp

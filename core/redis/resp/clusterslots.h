#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/resp/reply.h"

#include <QString>

#include <optional>
#include <vector>

namespace latchkey::resp {

/// The address of a cluster node, as the cluster announces it.
struct NodeAddress
{
    QString host; ///< Empty for the host of the node that sent the reply.
    quint16 port = 0;

    /// Reads `host:port`; the host may be an IPv6 address without brackets, or empty. Absent if there is no port.
    [[nodiscard]] static std::optional<NodeAddress> fromText(QByteArrayView text);

    friend bool operator==(const NodeAddress &, const NodeAddress &) = default;
};

/// The primaries of a cluster and their slots, from `CLUSTER SLOTS`. A value.
class ClusterSlots final
{
public:
    struct Primary
    {
        NodeAddress address;
        QByteArray id;                           ///< Node ID; empty: not reported.
        std::vector<std::pair<int, int>> ranges; ///< First and last slot of each range.

        friend bool operator==(const Primary &, const Primary &) = default;
    };

    /// Reads a reply to `CLUSTER SLOTS`. Errors: that of the server; Protocol for any other reply.
    [[nodiscard]] static base::Result<ClusterSlots> fromReply(const Reply &reply);

    /// Returns the primaries that serve slots, in the order of their first slots.
    [[nodiscard]] const std::vector<Primary> &primaries() const { return m_primaries; }
    /// Returns the addresses of the primaries and of their replicas.
    [[nodiscard]] const std::vector<NodeAddress> &nodes() const { return m_nodes; }
    /// Returns the number of slots that no node serves.
    [[nodiscard]] int unserved() const;

private:
    std::vector<Primary> m_primaries;
    std::vector<NodeAddress> m_nodes;
};

/// An error reply of a cluster node that does not, or not completely, serve the slot of the command.
struct Redirect
{
    enum class Kind : quint8 {
        Moved,    ///< Another node serves the slot.
        Ask,      ///< The key was migrated to another node; the migration of its slot continues. `ASKING` precedes the
                  ///< command.
        TryAgain, ///< The keys of the command are on two nodes now.
    };

    Kind kind = Kind::Moved;
    int slot = -1;       ///< -1 for TryAgain.
    NodeAddress address; ///< Address of the node to ask, for Moved and Ask.

    /// Returns the redirect in an error reply. Absent for any other reply. The server has not executed the redirected
    /// command.
    [[nodiscard]] static std::optional<Redirect> fromReply(const Reply &reply);
};

} // namespace latchkey::resp

#pragma once

#include "core/redis/net/dialer.h"
#include "core/redis/net/endpoint.h"

#include <QJsonArray>

#include <optional>
#include <vector>

namespace latchkey::cli {

/// A server that a cluster or a sentinel of the URL names, and whether this machine reaches it.
struct AnnouncedNode
{
    QString namedBy;                    ///< Display URL of the sentinel; empty: the cluster.
    QString announced;                  ///< `host:port`; the host is empty if the cluster names none.
    QString reachedAt;                  ///< `host:port` after the address map of the URL.
    std::optional<base::Error> missing; ///< Why the server is not known or not reached; absent: it is used.

    /// Connects once to each node of the cluster of this server, or asks each sentinel for the primary. Empty for any
    /// other server. Error: the server refuses `CLUSTER SLOTS`, or does not reply.
    [[nodiscard]] static base::Result<std::vector<AnnouncedNode>> find(
        const net::Endpoint &endpoint, net::DialResult<net::BlockingConnection> &dialled,
        std::chrono::milliseconds timeout);
    /// Returns the text of status: both addresses, or one if they are equal, and the problem.
    [[nodiscard]] QString text() const;
};

[[nodiscard]] QJsonArray toJson(const std::vector<AnnouncedNode> &nodes);

} // namespace latchkey::cli

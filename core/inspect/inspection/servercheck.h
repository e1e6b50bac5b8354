#pragma once

#include "core/keyspace/events/coverage.h"
#include "core/redis/net/connection.h"
#include "core/redis/resp/serverinfo.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace latchkey::inspection {

/// A request that watching sends, with a command that shows whether the user has the right to send it.
struct PermissionProbe
{
    events::KeyRequest request = events::KeyRequest::Names;
    resp::Command command;
};

/// Returns the requests that every read of keys needs, each with a command that changes nothing. The key of the
/// commands need not exist: rights are checked before the key is looked up.
[[nodiscard]] std::vector<PermissionProbe> permissionProbes();
/// Returns the refusals from the replies to these commands, at most one per request. If only some commands of a request
/// are refused, the refusal counts as one of some keys. A redirect to another cluster node is not a refusal. Neither is
/// the error for a key of another type, because the server checks rights first.
[[nodiscard]] std::vector<events::Coverage::Denial> refusalsIn(std::span<const resp::Reply> replies);

/// The rights, the role and the change events of a server, requested once over one connection. A value.
///
/// Every part may be unknown, because an old server or an ACL can refuse any request. Nothing is written and no setting
/// is changed. The right to write is checked with ACL DRYRUN; client tracking is switched on without a key, and off
/// again.
struct ServerCheck
{
    enum class Right : quint8 { Unknown, Permitted, Refused };
    enum class Events : quint8 {
        Unknown,       ///< Every request about events failed.
        Notifications, ///< notify-keyspace-events reports all changes.
        Tracking,      ///< Client tracking.
        Refused,       ///< The server or its ACL refuses both.
    };

    QByteArray role;                              ///< `master`, `slave`, `sentinel`; empty: unknown.
    QByteArray master;                            ///< `host:port` of a replica's master; empty: unknown or none.
    qint64 replicas = 0;                          ///< Number of connected replicas of a master.
    QByteArray user;                              ///< Name of the user; empty: unknown.
    std::optional<qint64> keys;                   ///< Number of keys; absent: unknown.
    std::vector<events::Coverage::Denial> denied; ///< The refused requests.
    Events events = Events::Unknown;
    Right writing = Right::Unknown; ///< The right to delete a key and to change its expiry.
};

/// Checks the server of a connection. `done` is called once, with the error if the connection was lost; it is not
/// called after the destruction of `context`. `timeout`: timeout of each of the two requests.
void checkServer(net::Connection &connection, std::chrono::milliseconds timeout, const QObject &context,
                 std::function<void(const base::Result<ServerCheck> &)> done);

} // namespace latchkey::inspection

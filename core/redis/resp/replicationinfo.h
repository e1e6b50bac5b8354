#pragma once

#include "core/foundation/base/error.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::resp {

/// The replicas of a server, or its link to its primary, as it reports them in `INFO replication`. A value type.
struct ReplicationInfo
{
    struct Replica
    {
        QString address;                ///< Host and port.
        QString state;                  ///< "online", or a state of the initial synchronisation.
        qint64 behind = 0;              ///< Bytes of the replication stream that the replica has not confirmed.
        std::chrono::seconds silent {}; ///< Time since the replica's last confirmation, in whole seconds.

        friend bool operator==(const Replica &, const Replica &) = default;
    };

    /// The link of a replica to its primary.
    struct PrimaryLink
    {
        QString address;   ///< Host and port.
        bool isUp = false; ///< False also during the initial synchronisation.

        friend bool operator==(const PrimaryLink &, const PrimaryLink &) = default;
    };

    bool isReplica = false;             ///< Whether the server itself is a replica.
    std::optional<PrimaryLink> primary; ///< Absent: the server is no replica, or does not name its primary.
    std::vector<Replica> replicas;      ///< In the order of the server.

    /// Parses the text of an INFO reply. Absent if the text does not contain the role.
    [[nodiscard]] static std::optional<ReplicationInfo> fromInfo(const QByteArray &info);

    /// Returns why the keys of the server may be out of date: it is a replica, and its link to the primary is down.
    /// Absent for any other server.
    [[nodiscard]] std::optional<base::Error> staleness() const;

    friend bool operator==(const ReplicationInfo &, const ReplicationInfo &) = default;
};

} // namespace latchkey::resp

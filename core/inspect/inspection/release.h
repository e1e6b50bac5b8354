#pragma once

#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/watching/keysnapshot.h"

namespace latchkey::inspection {

/// The method that releases a lock as its library does: the commands in addition to the deletion of the key, or the
/// obstacle. A value type.
///
/// A release ends the whole hold, even if the holder has entered the lock several times. The holder is not informed. An
/// obstacle prevents the release if the library does more than these commands, or if the key lacks data. A lock is
/// never released partially.
struct ReleaseMethod
{
    enum class Obstacle : quint8 {
        None,
        NoLock,    ///< Not recognised as a lock.
        Uncertain, ///< Several kinds with different releases are possible, or none is probable.
        Shared,    ///< Each holder releases its own part.
        Permits,   ///< Permits, which their holders give back.
        Queue,     ///< The library passes the lock to the next waiting client in its own way.
        Job,       ///< The job would also have to be moved in its queue.
        Unknown,   ///< The library's release is more than a deletion, and is not known.
    };

    Obstacle obstacle = Obstacle::NoLock;
    QString kind; ///< The library's name; empty if the key is not a lock, and for a known release of a common pattern.
    resp::Commands wakeCommands; ///< Commands that wake waiting clients, sent in the transaction that deletes the key.
    qint64 holdCount = 1;        ///< Number of times the holder has entered the lock.
    bool isQuorum = false;       ///< Whether the lock may also be held on other servers.

    [[nodiscard]] bool isKnown() const { return obstacle == Obstacle::None; }
    friend bool operator==(const ReleaseMethod &, const ReleaseMethod &) = default;
};

/// Determines the release from the data that was read of a lock. `isCluster`: whether the server is a cluster node, so
/// that clients may have subscribed to shard channels.
[[nodiscard]] ReleaseMethod releaseMethodOf(const recognition::KeySample &sample,
                                            const recognition::Recognition &recognition,
                                            const recognition::Dialects &dialects, bool isCluster);

/// A key that was read for a user who is about to release it. A value type.
struct ReleasePlan
{
    watching::KeySnapshot snapshot;
    ReleaseMethod method;
};

/// Reads the key and its companions, and determines the release for the state in the snapshot. Writes nothing.
[[nodiscard]] exchange::Exchange<ReleasePlan> readForRelease(base::Key key, recognition::Recogniser recogniser,
                                                             bool isCluster);

} // namespace latchkey::inspection

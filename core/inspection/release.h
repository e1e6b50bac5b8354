#pragma once

#include "core/keyspace/keysnapshot.h"
#include "core/recognition/recogniser.h"

namespace latchkey::inspection {

/// What releasing a lock comes to, for the library that wrote it: the deletion of its key, what goes with that, or why
/// it is not done. A value.
///
/// A release ends the whole hold, however often its holder is inside; the holder is not told. Where a library does more
/// than that, or the key does not say all that would have to be done, there is an obstacle: nothing is half released.
struct ReleaseWay
{
    enum class Obstacle : quint8 {
        None,
        NoLock,    ///< As far as can be told.
        Uncertain, ///< It is not certain which kind it is, and they are released in different ways.
        Shared,    ///< Each of its holders releases its own part.
        Permits,   ///< They are given back by those who have them.
        Queue,     ///< Its library hands it to the next that waits, in a way of its own.
        Job,       ///< The job would have to be moved in its queue as well.
        Unknown,   ///< How its library does it, as far as it is more than a deletion.
    };

    Obstacle obstacle = Obstacle::NoLock;
    QString kind;          ///< The library's name; empty of what is no lock, or a habit.
    resp::Commands beside; ///< What tells those who wait, in the transaction that deletes the key.
    qint64 holdCount = 1;  ///< How often its holder has it.
    bool isQuorum = false; ///< It may be held on other servers too.

    [[nodiscard]] bool isKnown() const { return obstacle == Obstacle::None; }
    friend bool operator==(const ReleaseWay &, const ReleaseWay &) = default;
};

/// By all that was read of a lock. isCluster: the server is a cluster's node, whose clients may listen to the shard's
/// channels.
[[nodiscard]] ReleaseWay releaseWayOf(const recognition::Sighting &sighting,
                                      const recognition::Recognition &recognition,
                                      const recognition::Dialects &dialects, bool isCluster);

/// A key as it was read for somebody who is about to release it. A value.
struct Releasable
{
    keyspace::KeySnapshot snapshot;
    ReleaseWay way;
};

/// Reads it, and what stands beside it; the way is that of what the snapshot shows. Nothing is written.
[[nodiscard]] exchange::Exchange<Releasable> lookForRelease(base::Key key, recognition::Recogniser recogniser,
                                                            bool isCluster);

} // namespace latchkey::inspection

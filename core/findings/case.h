#pragma once

#include "core/recognition/dialect.h"
#include "core/recognition/sighting.h"

namespace latchkey::findings {

/// A hold that is over. A value type.
struct PastHold
{
    enum class End : quint8 {
        Released, ///< Gone before its time.
        Expired,  ///< It was there until its lease was over.
        Other,    ///< Evicted, flushed, replaced.
        Unknown,  ///< Nobody looked.
    };

    QByteArray holder; ///< What identified it; empty: not recorded.
    base::MonotonicTime from;
    base::MonotonicTime to;
    std::chrono::milliseconds lease {}; ///< The longest that was left; zero: none.
    int renewals = 0;
    End end = End::Unknown;
    bool isEndSeen = false; ///< Else it was worked out from later looks.

    friend bool operator==(const PastHold &, const PastHold &) = default;
};

/// The value was replaced by another, which is not the same holder's. A value type.
struct ValueChange
{
    std::optional<base::WallTime> before; ///< The end that stood in it; absent: it was something else.
    std::optional<base::WallTime> after;  ///< Likewise, of the new one.
    base::WallTime at;
    bool hadEvents = false; ///< The server told every change of the key, and no end of it was among them.

    friend bool operator==(const ValueChange &, const ValueChange &) = default;
};

/// What a trace of the key's commands has shown. A value type.
struct TracedAct
{
    enum class What : quint8 {
        PlainDelete,    ///< DEL or UNLINK, by itself, without a look at the value in a transaction.
        SeparateExpire, ///< SETNX, and then EXPIRE by the same client.
        ForeignExpire,  ///< SETNX that failed, and then EXPIRE by that client.
        BlindRenewal,   ///< EXPIRE or SET XX outside a script, without a look at the value in a transaction.
        Swap,           ///< GETSET of a lock that was held.
    };

    What what = What::PlainDelete;
    QByteArray client;      ///< Its address.
    bool hasLooked = false; ///< It had read the value by another command before.

    friend bool operator==(const TracedAct &, const TracedAct &) = default;
};

/// What INFO and CONFIG say of the server; what could not be asked is absent. A value type.
struct ServerFacts
{
    QByteArray evictionPolicy;
    std::optional<qint64> memoryLimit;     ///< Bytes; 0: none.
    std::optional<qint64> evictedKeys;     ///< Since it was started.
    std::optional<qint64> replicas;        ///< That are connected.
    std::optional<qint64> replicasToWrite; ///< min-replicas-to-write.
    std::optional<bool> isReplica;
    std::optional<bool> keepsLog; ///< Append-only file.
    std::optional<bool> takesSnapshots;

    friend bool operator==(const ServerFacts &, const ServerFacts &) = default;
};

/// All that is known of one lock, to be judged. It refers to what its maker holds, and is made for one judgement.
struct Case
{
    const recognition::Recognition &recognition; ///< Which has a candidate.
    const recognition::Dialect &dialect;         ///< The first candidate's.
    const recognition::Sighting &sighting;
    ServerFacts server;
    std::chrono::milliseconds heldFor {}; ///< The present hold, as long as it was seen.
    std::vector<PastHold> past;           ///< Those that are over, the oldest first.
    std::vector<ValueChange> changes;     ///< The last ones that were seen.
    std::vector<TracedAct> traced;
    QByteArrayList
        unlockedJobs; ///< Of the queue whose job's lock this is: those at work that have had none for a while.
    std::optional<qint64> fencingBefore;   ///< The largest fencing number that was seen before.
    QByteArray holderClient;               ///< What joined a client to the holder: an address, a name; empty: none was.
    std::optional<bool> isHolderConnected; ///< Whether any such client is connected; absent: that is not known.
    std::optional<PastHold> present;       ///< The one behind the past, which goes on: its end is not known.

    [[nodiscard]] const recognition::Decoded &decoded() const { return recognition.decoded; }
    [[nodiscard]] bool isSure() const { return recognition.best().confidence >= recognition::Confidence::High; }
    [[nodiscard]] bool isEndless() const
    {
        return sighting.isExpiryKnown && !sighting.left && !sighting.endsWithFields;
    }
};

} // namespace latchkey::findings

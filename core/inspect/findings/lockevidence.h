#pragma once

#include "core/inspect/recognition/dialect.h"
#include "core/inspect/recognition/keysample.h"

namespace latchkey::findings {

/// A hold that has ended. A value type.
struct PastHold
{
    enum class End : quint8 {
        Released, ///< Ended before its deadline.
        Expired,  ///< Existed until its lease ended.
        Other,    ///< Evicted, flushed or replaced.
        Unknown,  ///< Not observed.
    };

    QByteArray holder; ///< Identity of the holder; empty: not recorded.
    base::MonotonicTime from;
    base::MonotonicTime to;
    std::chrono::milliseconds lease {}; ///< The longest remaining time that was read; zero: no lease.
    int renewals = 0;
    End end = End::Unknown;
    bool isEndObserved = false; ///< False: inferred from later observations.

    friend bool operator==(const PastHold &, const PastHold &) = default;
};

/// A replacement of the value by one of another holder. A value type.
struct ValueChange
{
    std::optional<base::WallTime> before; ///< Deadline in the old value; absent: the value has another form.
    std::optional<base::WallTime> after;  ///< Deadline in the new value; absent: the value has another form.
    base::WallTime at;
    bool hadEvents = false; ///< Whether the server reported every change of the key, but no end.

    friend bool operator==(const ValueChange &, const ValueChange &) = default;
};

/// An action of a client on the lock, found in a trace of the key's commands. A value type.
struct TracedAction
{
    enum class Kind : quint8 {
        PlainDelete,      ///< DEL or UNLINK outside a script, without a transaction that reads the value.
        SeparateExpire,   ///< SETNX, and then EXPIRE by the same client.
        ForeignExpire,    ///< A SETNX that failed, and then EXPIRE by that client.
        UncheckedRenewal, ///< EXPIRE or SET XX outside a script, without a transaction that reads the value.
        Swap,             ///< GETSET of a lock that was held.
    };

    Kind kind = Kind::PlainDelete;
    QByteArray client;          ///< Address of the client.
    bool hasReadHolder = false; ///< True if the client had read the value by an earlier command.

    friend bool operator==(const TracedAction &, const TracedAction &) = default;
};

/// The properties of the server from INFO and CONFIG. A property that the server refuses to report is absent. A value
/// type.
struct ServerProperties
{
    bool wasAsked = false; ///< Whether the server has answered or refused the requests.
    QByteArray evictionPolicy;
    std::optional<qint64> memoryLimit;     ///< Bytes; 0: no limit.
    std::optional<qint64> evictedKeys;     ///< Number since the server was started.
    std::optional<qint64> replicas;        ///< Number of connected replicas.
    std::optional<qint64> replicasToWrite; ///< Value of min-replicas-to-write.
    std::optional<bool> isReplica;
    std::optional<bool> keepsLog; ///< Whether the server writes an append-only file.
    std::optional<bool> takesSnapshots;

    friend bool operator==(const ServerProperties &, const ServerProperties &) = default;
};

/// All known data about one lock, as input of the rules. Refers to data of its creator, and is valid for one
/// evaluation.
struct LockEvidence
{
    const recognition::Recognition &recognition; ///< Has at least one candidate.
    const recognition::Dialect &dialect;         ///< Dialect of the first candidate.
    const recognition::KeySample &sample;
    ServerProperties server;
    std::chrono::milliseconds heldFor {}; ///< Minimum duration of the current hold.
    std::vector<PastHold> past;           ///< Ended holds, the oldest first.
    std::vector<ValueChange> changes;     ///< The last observed changes.
    std::vector<TracedAction> traced;
    QByteArrayList unlockedJobs;           ///< For a job's lock: other active jobs of its queue that have no lock.
    std::optional<qint64> fencingBefore;   ///< The largest fencing token observed before.
    QByteArray holderClient;               ///< Address or name by which a client was matched to the holder; empty
                                           ///< without a client.
    std::optional<bool> isHolderConnected; ///< Whether such a client is connected; absent: unknown.
    std::optional<PastHold> present;       ///< The current hold, which follows the past ones.

    [[nodiscard]] const recognition::LockContent &decoded() const { return recognition.decoded; }
    /// Returns whether the confidence of the first candidate is at least High.
    [[nodiscard]] bool isSure() const { return recognition.best().confidence >= recognition::Confidence::High; }
    /// Returns whether the key is known to have no expiry, and does not end with its fields.
    [[nodiscard]] bool isPersistent() const { return sample.isExpiryKnown && !sample.left && !sample.endsWithFields; }
};

} // namespace latchkey::findings

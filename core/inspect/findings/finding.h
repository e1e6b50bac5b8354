#pragma once

#include "core/inspect/findings/lockevidence.h"

namespace latchkey::findings {

/// The severity of a finding, in ascending order.
enum class Severity : quint8 { Info, Warning, Error };

/// The kind of a problem or possible problem of a lock.
enum class FindingKind : quint8 {
    NoExpiry,            ///< Lock without an expiry.
    ConstantValue,       ///< Value that every holder writes.
    PastDeadline,        ///< Deadline in the value has passed, and the key still exists.
    SkewedDeadline,      ///< Deadline in the value and expiry of the key differ.
    StaleQueue,          ///< Queue with dead waiters.
    StaleSignal,         ///< List that wakes a waiter exists while the lock is held.
    FencingDecreased,    ///< Fencing number smaller than before, or its counter is absent.
    FencingExpires,      ///< Counter of fencing numbers has an expiry.
    NoFencing,           ///< No fencing number.
    SharedId,            ///< Value identifies a process, not a holder.
    PredictableToken,    ///< Token not random.
    LeakedPermits,       ///< Permits of a dead holder are lost.
    OneOfMany,           ///< Lock needs a majority of servers.
    PlainDelete,         ///< Released without a check of the holder.
    NotAtomic,           ///< Expiry set by a second command.
    UncheckedRenewal,    ///< Renewed without a check of the holder.
    ExtendedByContender, ///< Expiry set by a client that failed to acquire.
    TakenOver,           ///< Value of a held lock replaced by another client.
    ExpiredUnderHolder,  ///< Lease ended without a release, and another client acquired soon.
    Recreated,           ///< Expired lock was recreated with the same holder.
    OrphanRenewal,       ///< Renewed for far longer than any earlier hold.
    LeaseTooShort,       ///< One hold in ten takes nearly the whole lease.
    HolderGone,          ///< Client of the holder has disconnected.
    MayBeEvicted,        ///< Eviction policy and memory limit permit an eviction.
    LostByFailover,      ///< Replicas that need not confirm a write.
    ReadFromReplica,     ///< Server is a replica.
    LostByRestart,       ///< Long lease on a server without persistence.
    LimitNotStored,      ///< Semaphore with a limit that the server does not store.
    UnlockedJob,         ///< Active job without a lock in the same queue.
    SeveralHolders,      ///< More holders than the lock admits.
    NotChecked,          ///< Settings of the server are unknown, so some kinds could not be checked.
};
inline constexpr int kindCount = 31;

/// A problem that a rule has found, with its evidence as values. FindingTexts converts it to sentences.
struct Finding
{
    FindingKind kind = FindingKind::NoExpiry;
    Severity severity = Severity::Info;
    /// True if the problem was observed on this key or server. False if it is only a known property of the library, or
    /// a suspicion that the observations permit.
    bool isObserved = true;
    QByteArray text {};                 ///< A client, a policy or a key, depending on the kind.
    qint64 number = 0;                  ///< A count or a fencing token; 1 if a traced client had read the value. For
                                        ///< NotChecked, a bit for each kind: the bit with the number of the kind.
    std::chrono::milliseconds time {};  ///< A duration or a difference.
    std::chrono::milliseconds limit {}; ///< The limit to compare `time` with.

    friend bool operator==(const Finding &, const Finding &) = default;
};

/// Returns the findings for a lock, the most severe first. A pure function of its input.
///
/// Two rules avoid false findings. A lease that grows is not a finding, because every watchdog renews. A value that
/// differs from the last read one is not a takeover, because the lock may have been released and acquired in between.
[[nodiscard]] std::vector<Finding> findingsOf(const LockEvidence &subject);

/// Returns the ID for JSON and metrics, such as `no-expiry`.
[[nodiscard]] QString kindId(FindingKind kind);
/// Returns `info`, `warning` or `error`.
[[nodiscard]] QString severityId(Severity severity);

} // namespace latchkey::findings

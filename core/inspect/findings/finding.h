#pragma once

#include "core/inspect/findings/lockevidence.h"

namespace latchkey::findings {

enum class Severity : quint8 { Info, Warning, Error };

/// The kind of a problem or possible problem of a lock.
enum class FindingKind : quint8 {
    NoExpiry,
    ConstantValue,
    PastDeadline,
    SkewedDeadline,
    StaleQueue,
    SignalLeft,
    FencingWentBack,
    FencingExpires,
    NoFencing,
    SharedId,
    PredictableToken,
    LeakedPermits,
    OneOfMany,
    PlainDelete,
    NotAtomic,
    BlindRenewal,
    LosersProlong,
    TakenOver,
    ExpiredUnderHolder,
    Recreated,
    OrphanRenewal,
    LeaseTooShort,
    HolderGone,
    MayBeEvicted,
    LostByFailover,
    ReadFromReplica,
    LostByRestart,
    LimitNotStored,
    UnlockedJob,
    SeveralHolders,
};
inline constexpr int kindCount = 30;

/// A problem that a rule has found, with its evidence as values; FindingTexts turns it into sentences.
struct Finding
{
    FindingKind kind = FindingKind::NoExpiry;
    Severity severity = Severity::Info;
    /// True if the problem was observed on this key or server. False if it is only a known property of the library, or
    /// a suspicion that the observations permit.
    bool isSeen = true;
    QByteArray text {};                 ///< A client, a policy or a key, depending on the kind.
    qint64 number = 0;                  ///< A count or a fencing token.
    std::chrono::milliseconds time {};  ///< A duration or a difference.
    std::chrono::milliseconds limit {}; ///< The limit to compare `time` with.

    friend bool operator==(const Finding &, const Finding &) = default;
};

/// Returns the findings for a lock, the most severe first. A pure function of its input.
///
/// Two rules avoid false findings. A lease that grows is not a finding, because every watchdog renews. A value that
/// differs from the last look is not a take-over, because a release and another acquisition may lie in between.
[[nodiscard]] std::vector<Finding> findingsOf(const LockEvidence &subject);

/// Returns the ID for JSON and metrics, such as `no-expiry`.
[[nodiscard]] QString kindId(FindingKind kind);
/// Returns `info`, `warning` or `error`.
[[nodiscard]] QString severityId(Severity severity);

} // namespace latchkey::findings

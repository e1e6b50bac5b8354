#pragma once

#include "core/findings/case.h"

namespace latchkey::findings {

enum class Severity : quint8 { Info, Warning, Error };

/// What is wrong with a lock, or might be.
enum class Kind : quint8 {
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
};
inline constexpr int kindCount = 29;

/// One thing that a rule has found, with what it goes by as values; Words makes sentences of it.
struct Finding
{
    Kind kind = Kind::NoExpiry;
    Severity severity = Severity::Info;
    /// Was seen on this key or server. Else the library is known for it, or it is a suspicion that what was seen
    /// allows.
    bool isSeen = true;
    QByteArray text {};                 ///< A client, a policy, a key, as the kind has it.
    qint64 number = 0;                  ///< How many, or a fencing number.
    std::chrono::milliseconds time {};  ///< How long, or by how much.
    std::chrono::milliseconds limit {}; ///< What that is compared with.

    friend bool operator==(const Finding &, const Finding &) = default;
};

/// What is to be said of a lock: the gravest first. A function of what it is given; it keeps and asks nothing.
///
/// Two rules keep it honest. A lease that grows again is no finding: every watchdog does that. And a value that differs
/// from the last look is no take-over: a release and another's acquire fit in between.
[[nodiscard]] std::vector<Finding> findingsOf(const Case &subject);

/// `no-expiry`: for JSON and for metrics.
[[nodiscard]] QString kindId(Kind kind);
/// `info`, `warning`, `error`
[[nodiscard]] QString severityId(Severity severity);

} // namespace latchkey::findings

#pragma once

#include "core/keyspace/events/keyevent.h"

#include <chrono>

namespace latchkey::expectations {

/// The verdict on one key and one expectation, with its reason. A value.
///
/// Observed times are intervals: the end of a key lies between two reads of the key, or between a read and the server's
/// event. A verdict is definite only if it is the same for the whole interval. Otherwise it is Unknown, with the
/// reason. Unknown is not a pass.
struct Verdict
{
    enum class Outcome : quint8 {
        Open, ///< Not decided yet; the observation continues.
        Holds,
        Fails,
        Unknown, ///< Cannot be decided.
    };
    enum class Why : quint8 {
        None,
        Ended,              ///< Ended at elapsed; see ending.
        StillExists,        ///< Existed at least until elapsed.
        NeverExisted,       ///< Read, and never found.
        NeverSeen,          ///< Never found, so nothing can be decided; or never read.
        WatchedTooShort,    ///< Observation ended at elapsed, before a decision.
        TooShortLived,      ///< Existed, but never long enough to be evaluated.
        WritingNotSeen,     ///< Existed before the first read.
        MayHaveComeBack,    ///< May have ended and reappeared unobserved.
        MayHaveBeenWritten, ///< A change may have been a write, or a new expiry only.
        Renewed,            ///< Renewed `count` times; elapsed is the longest interval.
        NotRenewed,         ///< Not renewed for the elapsed time.
        AlwaysExpiring,     ///< Had an expiry in `count` reads; elapsed is the longest time between two reads.
        WithoutExpiry,      ///< Had no expiry at elapsed.
    };

    Outcome outcome = Outcome::Open;
    Why why = Why::None;
    std::chrono::nanoseconds lowerBound {}; ///< Lower bound of the elapsed time.
    std::chrono::nanoseconds upperBound {}; ///< Upper bound of the elapsed time.
    bool isSinceWriting = false;            ///< Whether the time counts from the write; otherwise from the first read.
    events::Ending ending = events::Ending::None;
    int count = 0;
    int lifetimes = 0; ///< Number of evaluated lifetimes of the key.

    friend bool operator==(const Verdict &, const Verdict &) = default;
};

/// Returns the outcome for machines: "holds", "fails", "unknown" or "open".
[[nodiscard]] QLatin1String outcomeName(Verdict::Outcome outcome);

/// Returns the reason for machines, as one word with hyphens.
[[nodiscard]] QLatin1String whyName(Verdict::Why why);

} // namespace latchkey::expectations

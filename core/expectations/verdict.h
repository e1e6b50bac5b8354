#pragma once

#include "core/keyspace/happening.h"

#include <chrono>

namespace latchkey::expectations {

/// What can be said of one key and one expectation, and on what grounds. A value.
///
/// What was seen has two ends: when a key went is only known to lie between two looks, or between a look and the
/// server's word. A verdict is one only where it is the same for all that may have been; else it is Unknown, and says
/// why. Unknown is not a pass.
struct Verdict
{
    enum class Outcome : quint8 {
        Open, ///< It can still come either way: the watching goes on.
        Holds,
        Fails,
        Unknown, ///< It cannot be told.
    };
    enum class Why : quint8 {
        None,
        Went,            ///< It ended at elapsed; ending says how.
        StillThere,      ///< It was there at elapsed, at least.
        NeverThere,      ///< It was looked for, and never there.
        NeverSeen,       ///< Likewise, and without it nothing can be said; or nobody has looked.
        WatchedTooShort, ///< The watching ended at elapsed, before it could be told.
        TooShortLived,   ///< It was there, and never for long enough to be judged.
        WritingNotSeen,  ///< It was there before anybody looked.
        MayHaveComeBack, ///< It may have gone and come back, and nobody would have seen it.
        Renewed,         ///< So often as \a count says; the longest time between was elapsed.
        NotRenewed,      ///< For elapsed it was not.
        AlwaysExpiring,  ///< In \a count looks it had an expiry; the longest time between two was elapsed.
        WithoutExpiry,   ///< It had none at elapsed.
    };

    Outcome outcome = Outcome::Open;
    Why why = Why::None;
    std::chrono::nanoseconds least {}; ///< Elapsed since it began: from here …
    std::chrono::nanoseconds most {};  ///< … to here.
    bool isSinceWriting = false;       ///< That was when it was written, and else when it was looked at first.
    keyspace::Ending ending = keyspace::Ending::None;
    int count = 0;
    int lives = 0; ///< How many times it was there, and was judged.

    friend bool operator==(const Verdict &, const Verdict &) = default;
};

/// "holds", "fails", "unknown" or "open": for machines.
[[nodiscard]] QLatin1String outcomeName(Verdict::Outcome outcome);

/// Why, in a word with hyphens: for machines.
[[nodiscard]] QLatin1String whyName(Verdict::Why why);

} // namespace latchkey::expectations

#pragma once

#include "core/expectations/expectation.h"
#include "core/expectations/verdict.h"
#include "core/keyspace/happening.h"

#include <optional>

namespace latchkey::expectations {

/// Judges one key by one expectation, from what is observed of it.
///
/// A key may come and go many times: each time is a life, and is judged by itself. One that fails makes the key fail,
/// else one that cannot be told makes it unknown; the key holds where a life held and all others did.
/// Pure: it knows no server and no clock. Owned by the code that watches; what is observed of other keys is not for it.
class KeyJudge final
{
public:
    explicit KeyJudge(Expectation expectation)
        : m_expectation(std::move(expectation))
    {}

    /// An answer of the server on whether it is there, and when it ends: an Exists or a Gone.
    void see(const keyspace::Observation &look);
    /// What follows of what was observed: see keyspace::Ledger.
    void take(const keyspace::Happening &happening);
    /// Nothing can be seen from now on, until the next look.
    void loseSight();

    /// isOver: nothing more will be seen, so what is open comes to something.
    [[nodiscard]] Verdict verdict(bool isOver) const;

private:
    /// A time of which only the two ends are known between which it lies.
    struct Moment
    {
        base::MonotonicTime earliest;
        base::MonotonicTime latest;
    };
    struct Life
    {
        Moment began;
        bool isWritten = false; ///< Its beginning was seen.
        bool isSeamless = true; ///< It was there all the time since.
        base::MonotonicTime lastThere;
        std::optional<base::Deadline> deadline;
        base::MonotonicTime lastSameEnd; ///< When that was last known to be its end.
        Moment renewed;                  ///< Last; its beginning counts as one.
        int renewals = 0;
        std::chrono::nanoseconds longestLeast {}; ///< Between two renewals, for certain.
        std::chrono::nanoseconds longestMost {};  ///< Between two renewals, at most.
        int looks = 0;                            ///< That found it with an expiry.
        std::chrono::nanoseconds longestUnseen {};
        std::optional<Moment> withoutExpiry;
    };

    /// How far a life has come when it is judged.
    enum class Stage : quint8 { GoesOn, Ended, Unwatched };

    void begin(const Moment &at, bool isWritten, const std::optional<base::Deadline> &deadline);
    void renew(const Moment &at);
    void end(const keyspace::Happening &happening);
    void close(Verdict verdict);

    [[nodiscard]] Verdict judgeEnd(const Life &life, const keyspace::Happening &happening) const;
    [[nodiscard]] Verdict judgeOngoing(const Life &life, Stage stage) const;
    [[nodiscard]] Verdict judgeBounds(Verdict verdict) const;
    [[nodiscard]] Verdict judgeRenewals(const Life &life, const Moment &until, Stage stage) const;
    [[nodiscard]] Verdict judgeExpiry(const Life &life, Stage stage) const;
    [[nodiscard]] Verdict verdictOfNothing() const;

    const Expectation m_expectation;
    std::optional<Life> m_life;
    std::optional<base::MonotonicTime> m_foundGone; ///< The last time it was asked for and not there.
    std::optional<Verdict> m_worst;                 ///< Of the lives that are over; of those that are alike the first.
    int m_lives = 0;
    bool m_wasSeen = false; ///< It has been there, whether that could be judged or not.
};

} // namespace latchkey::expectations

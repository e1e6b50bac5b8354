#pragma once

#include "core/inspect/expectations/expectation.h"
#include "core/inspect/expectations/keywrites.h"
#include "core/inspect/expectations/verdict.h"

#include <optional>

namespace latchkey::expectations {

/// An evaluator of one expectation for one key, based on the observations of the key.
///
/// A key may appear and end many times; each life is judged separately. One failed life makes the key fail; otherwise
/// one undecided life makes the verdict Unknown. The key holds if at least one life held and all other judged lives
/// held too. Pure: it uses no server and no clock. Owned by the code that watches; observations of other keys must not
/// be passed in.
class ExpectationEvaluator final
{
public:
    explicit ExpectationEvaluator(Expectation expectation)
        : m_expectation(std::move(expectation))
    {}

    /// Processes a reply of the server about existence and expiry, an Exists or a Gone, or a change notice. The change
    /// of a notice happened between \a asked and \a answered.
    void see(const events::Observation &look);
    /// Processes a key event that the ledger derived; see events::Ledger. `reported`: the events that the server
    /// reports.
    void take(const events::KeyEvent &keyEvent, const events::EventCoverage &reported = {});
    /// Begins a gap in the observation, which ends with the next read.
    void beginGap();

    /// Returns the verdict. `isOver`: no further observations follow, so open verdicts are decided.
    [[nodiscard]] Verdict verdict(bool isOver) const;

private:
    struct Life
    {
        TimeInterval began;
        bool isWritten = false; ///< Whether the start was observed.
        bool isSeamless = true; ///< Whether the key has existed without interruption since then.
        base::MonotonicTime lastThere;
        std::optional<base::Deadline> deadline;
        base::MonotonicTime lastSameEnd; ///< Last time at which this expiry was confirmed.
        TimeInterval renewed;            ///< Last renewal; the start counts as one.
        int renewals = 0;
        std::chrono::nanoseconds longestLeast {}; ///< Lower bound of the longest time between renewals.
        std::chrono::nanoseconds longestMost {};  ///< Upper bound of the longest time between renewals.
        int looks = 0;                            ///< Number of reads that found an expiry.
        std::chrono::nanoseconds longestUnseen {};
        std::optional<TimeInterval> withoutExpiry;
        /// Last time of a change that may have been a write or a new expiry only. Absent: no such change.
        std::optional<base::MonotonicTime> changedUntil;
    };

    /// The state of a life when it is evaluated.
    enum class Stage : quint8 { GoesOn, Ended, Unwatched };

    void begin(const TimeInterval &at, bool isWritten, const std::optional<base::Deadline> &deadline);
    void renew(const TimeInterval &at);
    void noteChange(const events::KeyEvent &keyEvent, const events::EventCoverage &reported);
    void end(const events::KeyEvent &keyEvent);
    void close(Verdict verdict);

    [[nodiscard]] LastWrite start(const Life &life, const events::KeyEvent *end) const;
    [[nodiscard]] Verdict judgeEnd(const Life &life, const events::KeyEvent &keyEvent) const;
    [[nodiscard]] Verdict judgeOngoing(const Life &life, Stage stage) const;
    [[nodiscard]] Verdict judgeBounds(Verdict verdict) const;
    [[nodiscard]] Verdict judgeRenewals(const Life &life, const TimeInterval &until, Stage stage) const;
    [[nodiscard]] Verdict judgeExpiry(const Life &life, Stage stage) const;
    [[nodiscard]] Verdict verdictOfNothing() const;

    const Expectation m_expectation;
    KeyWrites m_writes; ///< Only used with Expectation::isAfterWriting.
    std::optional<Life> m_life;
    std::optional<base::MonotonicTime> m_foundGone; ///< Last time at which a read found the key absent.
    std::optional<Verdict> m_worst;                 ///< Worst verdict of the finished lives; the first of equal ones.
    int m_lives = 0;
    bool m_wasSeen = false; ///< Whether the key has existed, judged or not.
};

} // namespace latchkey::expectations

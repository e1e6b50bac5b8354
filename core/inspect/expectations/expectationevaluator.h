#pragma once

#include "core/inspect/expectations/expectation.h"
#include "core/inspect/expectations/keywrites.h"
#include "core/inspect/expectations/verdict.h"

#include <optional>

namespace latchkey::expectations {

/// An evaluator of one expectation for one key, based on the observations of the key.
///
/// A key may appear and end many times; each of its lifetimes is evaluated separately. The verdict is Fails if one
/// lifetime fails, otherwise Unknown if one lifetime is undecided. The verdict is Holds if all evaluated lifetimes
/// hold, and there is at least one. Uses no server and no clock. Owned by the code that watches, which passes in only
/// observations of this key.
class ExpectationEvaluator final
{
public:
    explicit ExpectationEvaluator(Expectation expectation)
        : m_expectation(std::move(expectation))
    {}

    /// Processes a reply of the server about existence and expiry, an Exists or a Gone, or a notification. The change
    /// of a notification happened between `asked` and `answered`.
    void add(const events::Observation &observation);
    /// Processes a key event that the tracker derived; see events::KeyEventTracker. `reported`: the events that the
    /// server reports.
    void take(const events::KeyEvent &keyEvent, const events::EventCoverage &reported = {});
    /// Begins a gap in the observation, which ends with the next read.
    void beginGap();

    /// Returns the verdict. `isOver`: no further observations follow, so open verdicts are decided.
    [[nodiscard]] Verdict verdict(bool isOver) const;

private:
    struct KeyLifetime
    {
        base::TimeInterval began;
        bool isWritten = false; ///< Whether the start was observed.
        bool isSeamless = true; ///< Whether the key has existed without interruption since then.
        base::MonotonicTime lastThere;
        std::optional<base::Deadline> deadline;
        base::MonotonicTime lastSameEnd; ///< Last time at which this expiry was confirmed.
        base::TimeInterval renewed;      ///< Last renewal; the start counts as one.
        int renewals = 0;
        std::chrono::nanoseconds longestLowerBound {}; ///< Lower bound of the longest time between renewals.
        std::chrono::nanoseconds longestUpperBound {}; ///< Upper bound of the longest time between renewals.
        int reads = 0;                                 ///< Number of reads that found an expiry.
        std::chrono::nanoseconds longestUnseen {};
        std::optional<base::TimeInterval> withoutExpiry;
        /// Last time of a change that may have been a write or a new expiry only. Absent: no such change.
        std::optional<base::MonotonicTime> changedUntil;
    };

    /// The state of a lifetime when it is evaluated.
    enum class Stage : quint8 { Ongoing, Ended, Unwatched };

    void begin(const base::TimeInterval &at, bool isWritten, const std::optional<base::Deadline> &deadline);
    void renew(const base::TimeInterval &at);
    void noteChange(const events::KeyEvent &keyEvent, const events::EventCoverage &reported);
    void end(const events::KeyEvent &keyEvent);
    void close(Verdict verdict);

    [[nodiscard]] LastWrite start(const KeyLifetime &lifetime, const events::KeyEvent *end) const;
    [[nodiscard]] Verdict evaluateEnd(const KeyLifetime &lifetime, const events::KeyEvent &keyEvent) const;
    [[nodiscard]] Verdict evaluateOngoing(const KeyLifetime &lifetime, Stage stage) const;
    [[nodiscard]] Verdict evaluateBounds(Verdict verdict) const;
    [[nodiscard]] Verdict evaluateRenewals(const KeyLifetime &lifetime, const base::TimeInterval &until,
                                           Stage stage) const;
    [[nodiscard]] Verdict evaluateExpiry(const KeyLifetime &lifetime, Stage stage) const;
    [[nodiscard]] Verdict verdictWithoutLifetime() const;

    const Expectation m_expectation;
    KeyWrites m_writes; ///< Only used with Expectation::isAfterWriting.
    std::optional<KeyLifetime> m_lifetime;
    std::optional<base::MonotonicTime> m_foundGone; ///< Last time at which a read found the key absent.
    std::optional<Verdict> m_worst;                 ///< Worst verdict on an ended lifetime; the first of equal ones.
    int m_evaluatedLifetimes = 0;
    bool m_wasSeen = false; ///< Whether the key has existed, evaluated or not.
};

} // namespace latchkey::expectations

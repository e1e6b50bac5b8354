#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/explore/schedules/verdict.h"

#include <optional>

namespace latchkey::races {

using schedules::Verdict;

/// Result of the finder for one promise.
struct PromiseResult
{
    QString promise;
    int clients = 0; ///< Number of clients to which the result applies.
    bool claimed = false;
    Verdict verdict = Verdict::NotApplicable;
    /// False if a bound was reached or the search was cancelled before every schedule with this number of clients was
    /// examined: "holds in the first N". True for a broken promise.
    bool complete = true;
    bool isRandom = false; ///< Whether the schedules were drawn at random.
    double schedules = 0;  ///< Number of schedules through the reached states.
    std::size_t states = 0;
    std::size_t steps = 0;
    QString violation; ///< Violation of a broken promise, as one sentence.
    base::Text reason; ///< Why the promise does not apply, if the program's use of its keys is the reason.
    /// Shortest schedule that breaks the promise with this number of clients.
    std::optional<schedules::RecordedSchedule> counterexample;

    /// Returns whether the catalogue claims a promise that does not hold.
    [[nodiscard]] bool isRefuted() const { return claimed && verdict == Verdict::Broken; }
};

} // namespace latchkey::races

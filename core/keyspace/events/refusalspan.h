#pragma once

#include "core/keyspace/events/coverage.h"

namespace latchkey::events {

/// The refusals of one request in all intervals of a coverage. A value.
struct RefusalSpan
{
    KeyRequest request = KeyRequest::Names;
    base::Error why; ///< Of the last interval.
    bool isOfSomeKeys = false;
    base::MonotonicTime from;           ///< Beginning of the first interval.
    base::MonotonicTime to;             ///< End of the last interval.
    std::chrono::nanoseconds lasted {}; ///< Without the time between the intervals.

    /// Returns the refusals in the order of their first interval, without those of change events.
    [[nodiscard]] static std::vector<RefusalSpan> of(const Coverage::Parts &parts);

    /// Returns the sentence about a refusal that has ended: of which request, for how long, until when and why.
    [[nodiscard]] base::Text endedText(base::MonotonicTime now) const;
};

} // namespace latchkey::events

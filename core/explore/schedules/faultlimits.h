#pragma once

#include <optional>

namespace latchkey::schedules {

/// The maximum number of faults of each kind in one schedule of a program.
struct FaultLimits
{
    int crashes = 1;
    int expirations = 1; ///< Number of times that time advances to the next expiry.
    int lostReplies = 0; ///< Number of replies lost on their way to a client.
    int timerSteps = 3;  ///< Number of times that time advances, before the next expiry, to the next timer of a client.
    /// Number of switches to another client although the current client could continue; absent: unlimited. Most races
    /// need one or two, and this bound reduces the number of schedules greatly (Musuvathi and Qadeer, "Iterative
    /// context bounding", 2007).
    std::optional<int> preemptions {};
};

} // namespace latchkey::schedules

#pragma once

#include <QDeadlineTimer>

#include <algorithm>
#include <chrono>

namespace latchkey::races {

/// Returns the time limit of the next of several searches: the remaining time divided by their number. All later
/// searches share the time that a search does not use. Unlimited if the deadline is forever. `searches`: at least 1.
[[nodiscard]] inline QDeadlineTimer shareOf(QDeadlineTimer deadline, qsizetype searches)
{
    if (deadline.isForever() || searches == 1)
        return deadline;
    return QDeadlineTimer(std::chrono::nanoseconds(deadline.remainingTimeNSecs()) / searches);
}

/// Returns the time slice of a search without a deadline in this round over several searches, counted from 0. The slice
/// starts at 4 s and doubles with each round, so that a short search does not wait for long ones.
[[nodiscard]] inline QDeadlineTimer timeLimitOfRound(int round)
{
    using namespace std::chrono_literals;
    constexpr std::chrono::milliseconds firstLimit = 4s;
    constexpr int maxDoublings = 10;
    return QDeadlineTimer(firstLimit * (1 << std::min(round, maxDoublings)));
}

} // namespace latchkey::races

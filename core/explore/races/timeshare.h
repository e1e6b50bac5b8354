#pragma once

#include <QDeadlineTimer>

#include <algorithm>
#include <chrono>

namespace latchkey::races {

/// Returns the time limit of the next of several searches: the remaining time divided by their number. The time that a
/// search does not use goes to all later ones. Forever if the deadline is. `searches`: at least 1.
[[nodiscard]] inline QDeadlineTimer shareOf(QDeadlineTimer deadline, qsizetype searches)
{
    if (deadline.isForever() || searches == 1)
        return deadline;
    return QDeadlineTimer(std::chrono::nanoseconds(deadline.remainingTimeNSecs()) / searches);
}

/// Returns the time limit of a search without a deadline in this pass over several searches, counted from 0. It doubles
/// with each pass, so that a search that ends soon does not wait for those that take long.
[[nodiscard]] inline QDeadlineTimer turnOf(int pass)
{
    using namespace std::chrono_literals;
    constexpr std::chrono::milliseconds firstTurn = 4s;
    constexpr int maxDoublings = 10;
    return QDeadlineTimer(firstTurn * (1 << std::min(pass, maxDoublings)));
}

} // namespace latchkey::races

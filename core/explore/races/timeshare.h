#pragma once

#include <QDeadlineTimer>

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

} // namespace latchkey::races

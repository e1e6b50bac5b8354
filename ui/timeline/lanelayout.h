#pragma once

#include "core/history/hold.h"

#include <deque>
#include <vector>

namespace latchkey::ui::timeline {

/// Something to paint of a lane: a hold, or several that are too narrow to be told apart.
struct LaneBox
{
    base::MonotonicTime from;
    base::MonotonicTime to; ///< Of a hold that goes on: the end of time.
    std::size_t first = 0;  ///< The first hold's place among the lane's.
    std::size_t count = 1;
    bool overlaps = false; ///< Any of them.

    friend bool operator==(const LaneBox &, const LaneBox &) = default;
};

/// The boxes of a lane, in their order: as many as there is room for, however many holds there are. They do not change
/// while somebody scrolls.
[[nodiscard]] std::vector<LaneBox> layOut(const std::deque<history::Hold> &holds, std::chrono::nanoseconds perPixel);

/// Those that reach into this time, as places among the boxes: from first up to the one before last.
[[nodiscard]] std::pair<std::size_t, std::size_t> visibleBoxes(const std::vector<LaneBox> &boxes,
                                                               base::MonotonicTime from, base::MonotonicTime to);

/// When the hold ended; the end of time for one that goes on.
[[nodiscard]] base::MonotonicTime endOf(const history::Hold &hold);

} // namespace latchkey::ui::timeline

#pragma once

#include "core/inspect/history/hold.h"

#include <deque>
#include <vector>

namespace latchkey::ui::timeline {

/// A box of a lane: one hold, or several that are too narrow to be separate.
struct LaneBox
{
    base::MonotonicTime from;
    base::MonotonicTime to; ///< MonotonicTime::max() for a current hold.
    std::size_t first = 0;  ///< Index of the first hold among those of the lane.
    std::size_t count = 1;
    bool overlaps = false; ///< Whether any of the holds overlaps with that of another holder; see history::Hold.

    friend bool operator==(const LaneBox &, const LaneBox &) = default;
};

/// Returns the boxes of a lane in chronological order. Their number is limited by the pixels, not by the number of
/// holds. Scrolling does not change the boxes.
[[nodiscard]] std::vector<LaneBox> layOut(const std::deque<history::Hold> &holds, std::chrono::nanoseconds perPixel);

/// Returns the boxes that intersect a time span, as a half-open range of indices.
[[nodiscard]] std::pair<std::size_t, std::size_t> visibleBoxes(const std::vector<LaneBox> &boxes,
                                                               base::MonotonicTime from, base::MonotonicTime to);

/// Returns the end of a hold. MonotonicTime::max() for a current hold.
[[nodiscard]] base::MonotonicTime endOf(const history::Hold &hold);

} // namespace latchkey::ui::timeline

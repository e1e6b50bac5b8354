#include "ui/views/timeline/lanelayout.h"

#include <algorithm>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using history::Hold;

namespace {

/// Width in pixels below which boxes are merged if the gap between them is less than a pixel.
constexpr int narrow = 3;

} // namespace

MonotonicTime endOf(const Hold &hold)
{
    // An expired lock was held until its deadline, regardless of when the expiry was observed.
    if (hold.until && hold.ending == events::Ending::Expired && hold.deadline
        && hold.deadline->at() > hold.from.middle())
        return std::min(hold.deadline->at(), hold.until->latest);
    return hold.until ? std::max(hold.until->middle(), hold.from.middle()) : MonotonicTime::max();
}

std::vector<LaneBox> layOut(const std::deque<Hold> &holds, std::chrono::nanoseconds perPixel)
{
    std::vector<LaneBox> boxes;
    for (std::size_t i = 0; i < holds.size(); ++i) {
        const Hold &hold = holds[i];
        const LaneBox next {hold.from.middle(), endOf(hold), i, 1, hold.overlaps};
        const bool isNarrow = next.to != MonotonicTime::max() && next.to - next.from < narrow * perPixel;
        if (!boxes.empty() && isNarrow) {
            LaneBox &last = boxes.back();
            const bool isLastNarrow = last.count > 1 || last.to - last.from < narrow * perPixel;
            // A merged box must not hide gaps in which the lock was free.
            if (isLastNarrow && next.from - last.to < perPixel) {
                last.to = std::max(last.to, next.to);
                last.count += 1;
                last.overlaps = last.overlaps || next.overlaps;
                continue;
            }
        }
        boxes.push_back(next);
    }
    return boxes;
}

std::pair<std::size_t, std::size_t> visibleBoxes(const std::vector<LaneBox> &boxes, MonotonicTime from,
                                                 MonotonicTime to)
{
    const auto first = std::ranges::partition_point(boxes, [&](const LaneBox &box) { return box.to < from; });
    const auto last = std::partition_point(first, boxes.end(), [&](const LaneBox &box) { return box.from <= to; });
    return {static_cast<std::size_t>(first - boxes.begin()), static_cast<std::size_t>(last - boxes.begin())};
}

} // namespace latchkey::ui::timeline

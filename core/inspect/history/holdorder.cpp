#include "core/inspect/history/holdorder.h"

#include "core/inspect/history/statistics.h"

#include <algorithm>

namespace latchkey::history {

void narrowFromBelow(base::TimeInterval &span, const base::TimeInterval &earlier)
{
    if (earlier.earliest <= span.latest)
        span.earliest = std::max(span.earliest, earlier.earliest);
}

void narrowFromAbove(base::TimeInterval &span, const base::TimeInterval &later)
{
    if (span.earliest <= later.latest)
        span.latest = std::min(span.latest, later.latest);
}

void setGap(Hold &hold, const Hold *earlier)
{
    hold.gapBefore.reset();
    hold.isGapUncertain = false;
    if (earlier == nullptr || !earlier->until)
        return;
    const base::TimeInterval &end = *earlier->until;
    const auto shortest = hold.from.earliest - end.latest;
    const auto longest = hold.from.latest - end.earliest;
    hold.isGapUncertain = longest - shortest > Statistics::contendedWithin && shortest <= Statistics::contendedWithin;
    if (!hold.isGapUncertain)
        hold.gapBefore = std::max(hold.from.middle() - end.middle(), std::chrono::nanoseconds(0));
}

} // namespace latchkey::history

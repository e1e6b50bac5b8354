#include "core/history/statistics.h"

namespace latchkey::history {

void Statistics::countStart(const Hold &hold, const Hold *before)
{
    ++holds;
    if (hold.start == Hold::Start::HandedOver || hold.start == Hold::Start::Replaced)
        ++handedOver;
    const bool isAnothers = before != nullptr && (!hold.holder || !before->holder || hold.holder != before->holder);
    if (isAnothers && hold.gapBefore && *hold.gapBefore <= contendedWithin)
        ++contended;
}

void Statistics::countEnd(const Hold &hold)
{
    ++ended;
    ++endings[static_cast<std::size_t>(hold.ending)];
    extensions += hold.extensionCount;
    if (hold.late)
        longestLate = std::max(longestLate, *hold.late);
    if (hold.start == Hold::Start::Unseen || !hold.until)
        return;
    const auto time = hold.duration(hold.until->middle());
    ++timed;
    held += time;
    longest = std::max(longest, time);
    if (hold.lease && hold.lease->count() > 0) {
        ++leased;
        leaseUsed += std::chrono::duration<double>(time) / std::chrono::duration<double>(*hold.lease);
    }
}

} // namespace latchkey::history

#include "core/inspect/history/statistics.h"

namespace latchkey::history {

void Statistics::countStart(const Hold &hold, const Hold *before)
{
    addStart(hold, before, 1);
}

void Statistics::uncountStart(const Hold &hold, const Hold *before)
{
    addStart(hold, before, -1);
}

void Statistics::addStart(const Hold &hold, const Hold *before, int sign)
{
    holds += sign;
    if (hold.start == Hold::Start::HandedOver || hold.start == Hold::Start::Replaced)
        handedOver += sign;
    const bool isOfOtherHolder =
        before != nullptr && (!hold.holder || !before->holder || hold.holder != before->holder);
    if (isOfOtherHolder && hold.gapBefore && *hold.gapBefore <= contendedWithin)
        contended += sign;
    if (isOfOtherHolder && hold.isGapUncertain)
        contentionUnknown += sign;
}

void Statistics::countEnd(const Hold &hold)
{
    addEnd(hold, 1);
    if (hold.late)
        longestLate = std::max(longestLate, *hold.late);
    if (hold.start == Hold::Start::Unseen || !hold.until)
        return;
    if (const auto time = hold.duration(hold.until->middle()); time > longest) {
        longest = time;
        longestUncertainty = hold.durationUncertainty();
    }
}

/// Reverts countEnd(). Keeps the maximum, because a current hold will last longer.
void Statistics::uncountEnd(const Hold &hold)
{
    addEnd(hold, -1);
}

void Statistics::addEnd(const Hold &hold, int sign)
{
    ended += sign;
    (hold.isHandedOver ? endedByHandover : endings[static_cast<std::size_t>(hold.ending)]) += sign;
    extensions += sign * hold.extensionCount;
    if (hold.start == Hold::Start::Unseen || !hold.until)
        return;
    const auto time = hold.duration(hold.until->middle());
    timed += sign;
    held += sign * time;
    heldUncertainty += sign * hold.durationUncertainty();
    if (hold.lease && hold.lease->count() > 0) {
        leased += sign;
        leaseUsed += sign * (std::chrono::duration<double>(time) / std::chrono::duration<double>(*hold.lease));
    }
}

} // namespace latchkey::history

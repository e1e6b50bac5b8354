#include "core/inspect/history/hold.h"

namespace latchkey::history {

void Hold::setEnd(const base::Deadline &end, const base::TimeInterval &since)
{
    const std::optional<base::Deadline> before = std::exchange(deadline, end);
    if (!before)
        return; // No other expiry is known.
    if (ends.empty()) {
        if (before->agreesWith(end))
            return;
        ends.push_back({from, *before});
    }
    if (ends.back().deadline.agreesWith(end))
        return;
    ends.push_back({since, end});
    if (ends.size() > maxEnds)
        ends.erase(ends.begin());
}

} // namespace latchkey::history

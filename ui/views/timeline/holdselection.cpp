#include "ui/views/timeline/holdselection.h"

#include <algorithm>

namespace latchkey::ui::timeline {

using history::History;
using history::Hold;

namespace {

auto findFrom(const std::deque<Hold> &holds, base::MonotonicTime from)
{
    return std::ranges::find(holds, from, [](const Hold &hold) { return hold.from.latest; });
}

} // namespace

HoldSelection::HoldSelection(const History &history)
    : m_history(history)
{}

const Hold *HoldSelection::current() const
{
    if (!m_selected)
        return nullptr;
    const auto &holds = m_history.holds(m_selected->lockId);
    const auto found = findFrom(holds, m_selected->from);
    return found == holds.end() ? nullptr : &*found;
}

bool HoldSelection::isIn(const History::LockId &lockId) const
{
    return m_selected && m_selected->lockId == lockId;
}

void HoldSelection::select(const Hold &hold)
{
    m_selected = Selected {{hold.key, hold.node}, hold.from.latest};
}

const Hold *HoldSelection::neighbourInLane(int by) const
{
    if (current() == nullptr)
        return nullptr;
    const auto &holds = m_history.holds(m_selected->lockId);
    const auto found = findFrom(holds, m_selected->from);
    const auto next = std::clamp<std::ptrdiff_t>(found - holds.begin() + by, 0, std::ssize(holds) - 1);
    return &holds[static_cast<std::size_t>(next)];
}

const Hold *HoldSelection::holdInNeighbourLane(int by, const QList<History::LockId> &lanes) const
{
    if (lanes.isEmpty())
        return nullptr;
    const auto at = m_selected ? lanes.indexOf(m_selected->lockId) : -1;
    const auto next = std::clamp<qsizetype>(at < 0 ? 0 : at + by, 0, lanes.size() - 1);
    const auto &holds = m_history.holds(lanes[next]);
    if (holds.empty())
        return nullptr;
    const Hold *before = current();
    auto found = holds.end();
    if (before != nullptr) {
        found = std::ranges::partition_point(
            holds, [&](const Hold &hold) { return hold.from.middle() <= before->from.middle(); });
    }
    return found == holds.begin() ? &holds.front() : &*std::prev(found);
}

} // namespace latchkey::ui::timeline

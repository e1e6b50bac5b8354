#include "core/inspect/history/ownchangeeffect.h"

#include <algorithm>

namespace latchkey::history {

using base::MonotonicTime;
using events::Ending;
using events::Source;

namespace {

/// Returns whether a time lies within the span. A state at the time of the request is not an effect of this program.
bool isWithin(MonotonicTime time, const base::TimeInterval &span)
{
    return time > span.earliest && time <= span.latest;
}

bool meet(const base::TimeInterval &a, const base::TimeInterval &b)
{
    return a.earliest <= b.latest && b.earliest <= a.latest;
}

/// Returns whether the hold may have ended by a deletion.
bool mayBeDeleted(const Hold &hold)
{
    return hold.ending == Ending::Deleted || hold.ending == Ending::Removed || hold.ending == Ending::Unknown;
}

} // namespace

OwnChangeEffect::OwnChangeEffect(std::deque<Hold> &holds, Statistics &statistics, const OwnChange &change)
    : m_holds(holds)
    , m_statistics(statistics)
    , m_change(change)
{}

bool OwnChangeEffect::correctEnd()
{
    // The server may have reported the end before its reply, and another client may have acquired the lock since.
    const auto gone = std::ranges::find_if(m_holds.rbegin(), m_holds.rend(), [&](const Hold &hold) {
        return hold.until && meet(*hold.until, m_change.when) && mayBeDeleted(hold);
    });
    if (gone == m_holds.rend())
        return false;
    m_statistics.uncountEnd(*gone);
    gone->ending = Ending::Deleted;
    gone->endSource = Source::OwnCommand;
    gone->late.reset();
    gone->mayBeOwnRead = false;
    gone->until = base::TimeInterval {std::max(gone->until->earliest, m_change.when.earliest),
                                      std::min(gone->until->latest, m_change.when.latest)};
    m_statistics.countEnd(*gone);
    note(*gone);
    return true;
}

void OwnChangeEffect::changeExpiry(Hold &hold)
{
    while (!hold.extensions.empty() && isWithin(hold.extensions.back(), m_change.when)) {
        hold.extensions.pop_back();
        --hold.extensionCount;
    }
    setEnd(hold);
    note(hold);
}

std::optional<std::size_t> OwnChangeEffect::restore()
{
    if (m_holds.empty())
        return std::nullopt;
    std::size_t removed = 0;
    if (!m_holds.back().isOver() && m_holds.size() > 1 && meet(m_holds.back().from, m_change.when)
        && m_holds[m_holds.size() - 2].isEndedByUs()) {
        m_statistics.uncountStart(m_holds.back(), &m_holds[m_holds.size() - 2]);
        m_holds.pop_back();
        removed = 1;
    }
    Hold &hold = m_holds.back();
    if (!hold.isEndedByUs())
        return std::nullopt;
    m_statistics.uncountEnd(hold);
    hold.until.reset();
    hold.ending = Ending::None;
    hold.endSource = Source::Poll;
    setEnd(hold);
    note(hold);
    return removed;
}

events::KeyEvent OwnChangeEffect::end(Hold &hold) const
{
    note(hold);
    events::KeyEvent event;
    event.key = hold.key;
    event.node = hold.node;
    event.type = events::KeyEvent::Type::Ended;
    event.ending = Ending::Deleted;
    event.notBefore = m_change.when.earliest;
    event.notAfter = m_change.when.latest;
    event.source = Source::OwnCommand;
    return event;
}

void OwnChangeEffect::note(Hold &hold) const
{
    hold.ownChanges.push_back(m_change);
    if (hold.ownChanges.size() > Hold::maxOwnChanges)
        hold.ownChanges.erase(hold.ownChanges.begin());
}

void OwnChangeEffect::setEnd(Hold &hold) const
{
    if (m_change.deadline)
        hold.setEnd(*m_change.deadline, m_change.when);
    else
        hold.deadline.reset();
}

} // namespace latchkey::history

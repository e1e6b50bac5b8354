// Effects of this program's own acts on the history.

#include "core/inspect/history/history.h"

#include <algorithm>

namespace latchkey::history {

using base::MonotonicTime;
using events::Ending;
using events::KeyEvent;
using events::Source;
using Kind = OwnChange::Kind;

namespace {

/// Returns whether a time lies within the span. A state at the time of the request is not an effect of this program.
bool isWithin(MonotonicTime time, const Span &span)
{
    return time > span.notBefore && time <= span.notAfter;
}

bool meet(const Span &a, const Span &b)
{
    return a.notBefore <= b.notAfter && b.notBefore <= a.notAfter;
}

void note(Hold &hold, const OwnChange &change)
{
    hold.ownChanges.push_back(change);
    if (hold.ownChanges.size() > Hold::maxOwnChanges)
        hold.ownChanges.erase(hold.ownChanges.begin());
}

/// Returns whether the hold may have ended by a deletion.
bool mayBeDeleted(const Hold &hold)
{
    return hold.ending == Ending::Deleted || hold.ending == Ending::Removed || hold.ending == Ending::Unknown;
}

} // namespace

void History::addOwnChange(const LockId &lockId, const OwnChange &change)
{
    switch (change.kind) {
    case Kind::Deleted:
    case Kind::Released:
        recordOwnEnd(lockId, change);
        return;
    case Kind::ExpirySet:
    case Kind::ExpiryRemoved:
    case Kind::ExpiryRestored:
        recordOwnExpiryChange(lockId, change);
        return;
    case Kind::Restored:
        recordRestore(lockId, change);
        return;
    }
    Q_UNREACHABLE();
}

void History::recordOwnEnd(const LockId &lockId, const OwnChange &change)
{
    const auto lockHistory = m_lockHistories.find(lockId);
    if (lockHistory == m_lockHistories.end())
        return;
    std::deque<Hold> &holds = lockHistory->holds;
    // The server may have reported the end before its reply, and another client may have acquired the lock since.
    const auto gone = std::ranges::find_if(holds.rbegin(), holds.rend(), [&](const Hold &hold) {
        return hold.until && meet(*hold.until, change.when) && mayBeDeleted(hold);
    });
    if (gone == holds.rend()) {
        if (current(lockId) == nullptr)
            return;
        KeyEvent event;
        event.key = lockId.key;
        event.node = lockId.node;
        event.what = KeyEvent::What::Ended;
        event.ending = Ending::Deleted;
        event.notBefore = change.when.notBefore;
        event.notAfter = change.when.notAfter;
        event.source = Source::OwnCommand;
        note(holds.back(), change);
        end(lockId, event);
        return;
    }
    lockHistory->statistics.uncountEnd(*gone);
    gone->ending = Ending::Deleted;
    gone->endSource = Source::OwnCommand;
    gone->late.reset();
    gone->mayBeOurRead = false;
    gone->until = Span {std::max(gone->until->notBefore, change.when.notBefore),
                        std::min(gone->until->notAfter, change.when.notAfter)};
    lockHistory->statistics.countEnd(*gone);
    note(*gone, change);
    Q_EMIT changed(lockId);
}

void History::recordOwnExpiryChange(const LockId &lockId, const OwnChange &change)
{
    Hold *hold = current(lockId);
    if (hold == nullptr)
        return;
    while (!hold->extensions.empty() && isWithin(hold->extensions.back(), change.when)) {
        hold->extensions.pop_back();
        --hold->extensionCount;
    }
    if (change.deadline)
        hold->setEnd(*change.deadline, change.when);
    else
        hold->deadline.reset();
    note(*hold, change);
    Q_EMIT changed(lockId);
}

void History::recordRestore(const LockId &lockId, const OwnChange &change)
{
    const auto lockHistory = m_lockHistories.find(lockId);
    if (lockHistory == m_lockHistories.end() || lockHistory->holds.empty())
        return;
    std::deque<Hold> &holds = lockHistory->holds;
    // The hold that was observed to appear is the restored one.
    if (!holds.back().isOver() && holds.size() > 1 && meet(holds.back().from, change.when)
        && holds[holds.size() - 2].isEndedByUs()) {
        lockHistory->statistics.uncountStart(holds.back(), &holds[holds.size() - 2]);
        holds.pop_back();
        --m_count;
    }
    Hold &hold = holds.back();
    if (!hold.isEndedByUs())
        return;
    lockHistory->statistics.uncountEnd(hold);
    hold.until.reset();
    hold.ending = Ending::None;
    hold.endSource = Source::Poll;
    if (change.deadline)
        hold.setEnd(*change.deadline, change.when);
    else
        hold.deadline.reset();
    note(hold, change);
    Q_EMIT changed(lockId);
}

} // namespace latchkey::history

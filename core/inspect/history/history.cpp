#include "core/inspect/history/history.h"

#include "core/inspect/history/holdorder.h"
#include "core/inspect/history/ownchangeeffect.h"

#include <algorithm>

namespace latchkey::history {

using base::Deadline;
using base::MonotonicTime;
using events::Ending;
using events::KeyEvent;
using Type = KeyEvent::Type;

namespace {

/// Maximum number of gaps; beyond that the oldest are joined.
constexpr std::size_t maxGaps = 1000;

/// Returns the TTL at that time. Absent without an expiry.
std::optional<std::chrono::milliseconds> leaseFrom(const std::optional<Deadline> &deadline, MonotonicTime at)
{
    if (!deadline || deadline->isNever())
        return std::nullopt;
    return keys::leftAt(*deadline, at);
}

/// Returns the kind of start of a hold that begins with the event.
Hold::Start startOf(const KeyEvent &keyEvent)
{
    switch (keyEvent.type) {
    case Type::HandedOver:
        return Hold::Start::HandedOver;
    case Type::Replaced:
        return Hold::Start::Replaced;
    default:
        return Hold::Start::Acquired;
    }
}

} // namespace

History::History(HolderOf holderOf, QObject *parent)
    : History(std::move(holderOf), Limits(), parent)
{}

History::History(HolderOf holderOf, const Limits &limits, QObject *parent)
    : QObject(parent)
    , m_holderOf(std::move(holderOf))
    , m_limits(limits)
{}

History::~History() = default;

const std::deque<Hold> &History::holds(const LockId &lockId) const
{
    static const std::deque<Hold> none;
    const auto found = m_lockHistories.constFind(lockId);
    return found == m_lockHistories.cend() ? none : found->holds;
}

Statistics History::statistics(const LockId &lockId) const
{
    const auto found = m_lockHistories.constFind(lockId);
    return found == m_lockHistories.cend() ? Statistics() : found->statistics;
}

std::optional<QByteArray> History::holderIn(const LockId &lockId, const std::optional<keys::RawValue> &value) const
{
    return value && m_holderOf ? m_holderOf(lockId.key, *value) : std::nullopt;
}

Hold *History::current(const LockId &lockId)
{
    const auto found = m_lockHistories.find(lockId);
    if (found == m_lockHistories.end() || found->holds.empty() || found->holds.back().isOver())
        return nullptr;
    return &found->holds.back();
}

void History::seen(const LockId &lockId, const std::optional<Deadline> &deadline,
                   const std::optional<keys::RawValue> &value, MonotonicTime at)
{
    if (current(lockId) != nullptr)
        return;
    Hold hold;
    hold.holder = holderIn(lockId, value);
    hold.from = {at, at};
    hold.deadline = deadline;
    hold.lease = leaseFrom(deadline, at);
    begin(lockId, std::move(hold));
}

void History::take(const KeyEvent &keyEvent)
{
    const LockId lockId {keyEvent.key, keyEvent.node};
    Hold *hold = current(lockId);
    if (hold != nullptr && isOfLaterHold(*hold, keyEvent)) {
        KeyEvent replaced = keyEvent;
        replaced.type = Type::Replaced;
        replaced.notBefore = std::max(keyEvent.notBefore, hold->from.latest);
        replaced.isInferred = true;
        return beginNextHold(lockId, replaced);
    }
    switch (keyEvent.type) {
    case Type::Appeared:
    case Type::HandedOver:
    case Type::Replaced:
        if (hold != nullptr && isBeginningOf(*hold, keyEvent))
            setStart(lockId, keyEvent);
        else
            beginNextHold(lockId, keyEvent);
        return;
    case Type::Ended:
        end(lockId, keyEvent);
        return;
    case Type::Renewed:
        if (hold == nullptr)
            return;
        extend(*hold, keyEvent);
        break;
    case Type::Changed:
    case Type::FirstRead:
        if (hold == nullptr)
            return;
        break;
    }
    learn(*hold, keyEvent);
    Q_EMIT changed(lockId);
}

void History::extend(Hold &hold, const KeyEvent &keyEvent) const
{
    ++hold.extensionCount;
    hold.extensions.push_back(keyEvent.notAfter);
    if (hold.extensions.size() > Hold::maxExtensions)
        hold.extensions.erase(hold.extensions.begin());
}

/// Applies a read to a current hold.
void History::learn(Hold &hold, const KeyEvent &keyEvent) const
{
    if (keyEvent.deadline) {
        hold.setEnd(*keyEvent.deadline, {keyEvent.notBefore, keyEvent.notAfter});
        const auto left = leaseFrom(keyEvent.deadline, keyEvent.notAfter);
        const bool isItsOwn =
            keyEvent.source != events::Source::OwnCommand; // False if this program has set the expiry.
        if (left && isItsOwn && (!hold.lease || *left > *hold.lease))
            hold.lease = left;
    }
    if (hold.holder && keyEvent.type != Type::Changed)
        return;
    if (auto holder = holderIn({hold.key, hold.node}, keyEvent.after)) {
        hold.holder = std::move(holder);
        hold.isHolderInferred = keyEvent.isInferred;
    }
}

/// Returns whether the hold, which was first seen before the tracker reported its start, began with this event. The
/// tracker reports a change only after all earlier notifications were received. The lock may be recognised before, also
/// by a read that is later than the notification. Another change in between would have been reported before.
bool History::isBeginningOf(const Hold &hold, const KeyEvent &keyEvent) const
{
    if (hold.start != Hold::Start::Unseen || hold.from.latest <= keyEvent.notBefore)
        return false;
    return keyEvent.type == Type::Appeared
        || (hold.holder && hold.holder == holderIn({hold.key, hold.node}, keyEvent.after));
}

/// Returns whether the event, which is no takeover by itself, shows another holder than the known one, or a value
/// without a holder: the tracker may have ignored the reading that named the known holder. A collection may have
/// several holders at a time.
bool History::isOfLaterHold(const Hold &hold, const KeyEvent &keyEvent) const
{
    const bool isTakeover = keyEvent.type == Type::HandedOver || keyEvent.type == Type::Replaced;
    const bool isOneValue = keyEvent.after && keyEvent.after->type == keys::KeyType::String;
    if (isTakeover || !isOneValue || !hold.holder || keyEvent.notAfter <= hold.from.latest
        || (keyEvent.type == Type::Appeared && !isBeginningOf(hold, keyEvent))) // The hold has ended before.
        return false;
    return holderIn({hold.key, hold.node}, keyEvent.after) != hold.holder;
}

/// Begins a hold in place of one that may still be recorded as current.
void History::beginNextHold(const LockId &lockId, const KeyEvent &keyEvent)
{
    if (Hold *before = current(lockId)) {
        before->until = base::TimeInterval {keyEvent.notBefore, keyEvent.notAfter};
        narrowFromBelow(*before->until, before->from);
        before->ending = Ending::Unknown;
        before->endSource = keyEvent.source;
        before->isInferred = before->isInferred || keyEvent.type != Type::HandedOver;
        before->isHandedOver = keyEvent.type == Type::HandedOver;
        before->overlaps = before->isHandedOver; // The former holder may still believe that it holds the lock.
        finishLast(lockId);
    }
    Hold hold;
    hold.start = startOf(keyEvent);
    hold.from = {keyEvent.notBefore, keyEvent.notAfter};
    hold.holder = holderIn(lockId, keyEvent.after);
    hold.deadline = keyEvent.deadline;
    hold.lease = leaseFrom(keyEvent.deadline, keyEvent.notAfter);
    hold.isInferred = keyEvent.isInferred;
    hold.overlaps = keyEvent.type == Type::HandedOver;
    begin(lockId, std::move(hold));
}

/// Sets the start of the current hold, which was seen before its start was known.
void History::setStart(const LockId &lockId, const KeyEvent &keyEvent)
{
    LockHistory &lockHistory = m_lockHistories[lockId];
    Hold &hold = lockHistory.holds.back();
    Hold *earlier = lockHistory.holds.size() > 1 ? &lockHistory.holds[lockHistory.holds.size() - 2] : nullptr;
    lockHistory.statistics.uncountStart(hold, earlier);
    hold.start = startOf(keyEvent);
    // Not narrowed by the time of recognition, which differs in a replay.
    hold.from = {keyEvent.notBefore, keyEvent.notAfter};
    if (earlier != nullptr)
        narrowToOrder(lockHistory, *earlier, hold);
    hold.isInferred = keyEvent.isInferred;
    if (hold.start == Hold::Start::Acquired)
        setGap(hold, earlier);
    lockHistory.statistics.countStart(hold, earlier);
    learn(hold, keyEvent);
    Q_EMIT changed(lockId);
}

void History::begin(const LockId &lockId, Hold hold)
{
    hold.key = lockId.key;
    hold.node = lockId.node;
    markOverlaps(hold);
    if (!m_lockHistories.contains(lockId))
        m_lockHistories[lockId].first = m_nextNumber; // Larger than all numbers of an earlier lock with this name.
    ++m_nextNumber;
    LockHistory &lockHistory = m_lockHistories[lockId];
    Hold *earlier = lockHistory.holds.empty() ? nullptr : &lockHistory.holds.back();
    if (earlier != nullptr && hold.start != Hold::Start::Unseen)
        narrowToOrder(lockHistory, *earlier, hold);
    if (hold.start == Hold::Start::Acquired)
        setGap(hold, earlier);
    lockHistory.statistics.countStart(hold, earlier);
    lockHistory.holds.push_back(std::move(hold));
    ++m_count;
    if (lockHistory.holds.size() > m_limits.perLock)
        dropFirst(lockHistory);
    forgetOldest();
    removeDroppedEntries();
    Q_EMIT changed(lockId);
}

/// Narrows the times of two successive holds to their known order: the start of the first hold, its end, the start of
/// the second. The interval of a change starts at the last read of the value, which may be older than changes received
/// since.
void History::narrowToOrder(LockHistory &lockHistory, Hold &earlier, Hold &later)
{
    if (!earlier.until)
        return;
    lockHistory.statistics.uncountEnd(earlier);
    narrowFromBelow(later.from, *earlier.until);
    narrowFromAbove(*earlier.until, later.from);
    if (earlier.start != Hold::Start::Unseen)
        narrowFromAbove(earlier.from, *earlier.until);
    lockHistory.statistics.countEnd(earlier);
}

/// Marks simultaneous holders on different nodes: a majority is not reached yet, or is lost.
void History::markOverlaps(Hold &hold)
{
    m_lastNode = std::max(m_lastNode, hold.node);
    if (!hold.holder)
        return;
    for (events::NodeIndex node = 0; node <= m_lastNode; ++node) {
        Hold *other = node == hold.node ? nullptr : current({hold.key, node});
        if (other != nullptr && other->holder && other->holder != hold.holder)
            other->overlaps = hold.overlaps = true;
    }
}

void History::end(const LockId &lockId, const KeyEvent &keyEvent)
{
    Hold *hold = current(lockId);
    if (hold == nullptr)
        return;
    if (keyEvent.isDeadlineStale)
        hold->deadline.reset();
    else if (keyEvent.deadline)
        hold->deadline = keyEvent.deadline;
    hold->until = base::TimeInterval {keyEvent.notBefore, keyEvent.notAfter};
    narrowFromBelow(*hold->until, hold->from);
    hold->ending = keyEvent.ending;
    hold->late = keyEvent.late();
    hold->endSource = keyEvent.source;
    hold->isInferred = hold->isInferred || keyEvent.isInferred;
    hold->mayBeOwnRead = keyEvent.mayBeOwnRead;
    finishLast(lockId);
    Q_EMIT changed(lockId);
}

/// Counts the last hold of the lock, which has ended, and reports it.
void History::finishLast(const LockId &lockId)
{
    LockHistory &lockHistory = m_lockHistories[lockId];
    const Hold hold = lockHistory.holds.back();
    lockHistory.statistics.countEnd(hold);
    m_order.emplace_back(lockId, lockHistory.first + lockHistory.holds.size() - 1);
    Q_EMIT ended(hold);
}

void History::addOwnChange(const LockId &lockId, const OwnChange &change)
{
    const auto found = m_lockHistories.find(lockId);
    if (found == m_lockHistories.end())
        return;
    OwnChangeEffect effect(found->holds, found->statistics, change);
    switch (change.kind) {
    case OwnChange::Kind::Deleted:
    case OwnChange::Kind::Released:
        if (effect.correctEnd())
            Q_EMIT changed(lockId);
        else if (Hold *hold = current(lockId))
            end(lockId, effect.end(*hold));
        return;
    case OwnChange::Kind::ExpirySet:
    case OwnChange::Kind::ExpiryRemoved:
    case OwnChange::Kind::ExpiryRestored:
        if (Hold *hold = current(lockId)) {
            effect.changeExpiry(*hold);
            Q_EMIT changed(lockId);
        }
        return;
    case OwnChange::Kind::Restored:
        if (const auto removed = effect.restore()) {
            m_count -= *removed;
            Q_EMIT changed(lockId);
        }
        return;
    }
    Q_UNREACHABLE();
}

void History::setObserving(bool isObserving, MonotonicTime at)
{
    const bool isUnobserved = !m_gaps.empty() && !m_gaps.back().to;
    if (isObserving != isUnobserved)
        return;
    if (isObserving)
        m_gaps.back().to = at;
    else
        m_gaps.push_back({at, std::nullopt});
    if (m_gaps.size() > maxGaps) { // Merged, not dropped: a time without observations must not count as observed.
        m_gaps[1].from = m_gaps[0].from;
        m_gaps.erase(m_gaps.begin());
    }
    Q_EMIT gapsChanged();
}

/// Drops the holds that ended first, of all locks. Current holds are kept, however many there are.
void History::forgetOldest()
{
    while (m_count > m_limits.inAll && !m_order.empty()) {
        const auto oldest = std::move(m_order.front());
        m_order.pop_front();
        const auto lockHistory = m_lockHistories.find(oldest.first);
        if (lockHistory == m_lockHistories.end() || oldest.second != lockHistory->first || lockHistory->holds.empty())
            continue; // The hold was already dropped.
        if (!lockHistory->holds.front().isOver())
            continue; // The hold was restored, and is entered again when it ends.
        dropFirst(*lockHistory);
        if (lockHistory->holds.empty())
            m_lockHistories.erase(lockHistory);
    }
}

void History::dropFirst(LockHistory &lockHistory)
{
    lockHistory.holds.pop_front();
    ++lockHistory.first;
    --m_count;
}

/// Removes entries of holds that were dropped because their lock had too many.
void History::removeDroppedEntries()
{
    if (m_order.size() < 2 * m_count + 1000)
        return;
    std::erase_if(m_order, [this](const auto &entry) {
        const auto lockHistory = m_lockHistories.constFind(entry.first);
        return lockHistory == m_lockHistories.cend() || entry.second < lockHistory->first;
    });
}

} // namespace latchkey::history

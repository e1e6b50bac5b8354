#include "app/cli/heldlocks.h"

namespace latchkey::cli {

using base::MonotonicTime;
using events::KeyEvent;
using Type = KeyEvent::Type;

namespace {

/// Time after which the start of a hold is reported without its holder.
constexpr std::chrono::milliseconds maxWait {1000};

/// Returns whether a hold has begun.
bool isStart(const KeyEvent &keyEvent)
{
    return keyEvent.type == Type::Appeared || keyEvent.type == Type::HandedOver || keyEvent.type == Type::Replaced;
}

} // namespace

HeldLocks::HeldLocks(const inspection::InspectedServer &server)
    : m_server(server)
    , m_history(LockDescription::holderOf(server))
{
    m_overdueTimer.setSingleShot(true);
    connect(&m_overdueTimer, &QTimer::timeout, this, &HeldLocks::reportOverdue);
}

HeldLocks::~HeldLocks() = default;

void HeldLocks::insert(const QByteArray &key, const LockDescription &description,
                       const std::optional<base::Deadline> &deadline)
{
    m_held.insert(key, {description, deadline});
}

void HeldLocks::take(const KeyEvent &keyEvent)
{
    const bool isOfOtherValue = m_held[keyEvent.key].isStartUnreported && keyEvent.type == Type::Ended
                             && keyEvent.before && !LockDescription::of(m_server, keyEvent.key, *keyEvent.before);
    if (isOfOtherValue)
        return; // This is the end of a value that is no lock.
    reportWaiting(keyEvent.key, &keyEvent);
    if (!m_held.contains(keyEvent.key))
        return;
    if (isStart(keyEvent) && !keyEvent.after)
        wait(keyEvent, false); // A value that was read may belong to a later hold.
    else
        report(keyEvent);
}

void HeldLocks::wait(const KeyEvent &start, bool isDoubtful)
{
    const MonotonicTime now = m_server.clock().now();
    HeldLock &held = m_held[start.key];
    held.start = start;
    held.waitingSince = now;
    held.mayBeOfAnotherHold = isDoubtful;
    m_waiting.push_back({now, start.key});
    if (!m_overdueTimer.isActive())
        m_overdueTimer.start(maxWait);
}

/// Reports the start of a hold that waits for the next event of its key. A value that was read later belongs to this
/// hold only if the tracker has learnt the value without an inference. Otherwise another hold may have begun, so the
/// holder is unknown.
void HeldLocks::reportWaiting(const QByteArray &key, const KeyEvent *next)
{
    HeldLock &held = m_held[key];
    if (!held.start)
        return;
    KeyEvent start = *std::exchange(held.start, std::nullopt);
    const bool isLock = next != nullptr && next->after && LockDescription::of(m_server, key, *next->after);
    if (isLock && next->type == Type::FirstRead && !next->isInferred && !held.mayBeOfAnotherHold)
        start.after = next->after;
    else if (start.type == Type::Appeared)
        held.description.holder.reset();
    report(std::move(start));
}

void HeldLocks::reportOverdue()
{
    reportWaitingSince(m_server.clock().now() - maxWait);
    if (!m_waiting.empty() && !m_overdueTimer.isActive())
        m_overdueTimer.start(maxWait);
}

void HeldLocks::reportLast()
{
    reportWaitingSince(MonotonicTime::max());
}

void HeldLocks::reportWaitingSince(MonotonicTime time)
{
    while (!m_waiting.empty() && m_waiting.front().first <= time) {
        const auto [since, key] = m_waiting.front();
        m_waiting.pop_front();
        const auto held = m_held.constFind(key);
        if (held != m_held.cend() && held->start && held->waitingSince == since)
            reportWaiting(key, nullptr);
    }
}

/// Returns whether the value has another holder than before: a lock that was released and acquired between two reads. A
/// hash with several holders is a lock for readers.
bool HeldLocks::isOfOtherHold(const KeyEvent &keyEvent) const
{
    if (!keyEvent.before && keyEvent.after && (keyEvent.type == Type::Changed || keyEvent.type == Type::FirstRead)) {
        // The tracker has not placed the read of the first value before the change.
        const auto now = m_server.locks().recogniseWithValue(keyEvent.key, *keyEvent.after).decoded.holders;
        const std::optional<QByteArray> known = m_held[keyEvent.key].description.holder;
        return now.size() == 1 && known && now.front().bytes != *known;
    }
    if (keyEvent.type != Type::Changed || !keyEvent.before || !keyEvent.after
        || keyEvent.after->type != keys::KeyType::Hash)
        return false;
    const auto holders = [&](const keys::RawValue &value) {
        return m_server.locks().recogniseWithValue(keyEvent.key, value).decoded.holders;
    };
    const auto before = holders(*keyEvent.before);
    const auto after = holders(*keyEvent.after);
    return before.size() == 1 && after.size() == 1 && before.front().bytes != after.front().bytes;
}

/// Returns whether the key now has another value that is no lock.
bool HeldLocks::isNoLongerLock(const KeyEvent &keyEvent) const
{
    if (!keyEvent.after || LockDescription::of(m_server, keyEvent.key, *keyEvent.after))
        return false;
    // The elements of a collection change while it is a lock.
    const bool mayBeOtherElements = keyEvent.after->type != keys::KeyType::String && keyEvent.before
                                 && keyEvent.before->type == keyEvent.after->type;
    return !mayBeOtherElements || isStart(keyEvent);
}

void HeldLocks::report(KeyEvent keyEvent)
{
    const bool isOverwritten = isNoLongerLock(keyEvent);
    if (isOverwritten) {
        keyEvent.type = Type::Ended;
        keyEvent.ending = events::Ending::Unknown;
        keyEvent.deadline.reset();
        keyEvent.after.reset();
    } else if ((isStart(keyEvent) || keyEvent.after) && m_held[keyEvent.key].isStartUnreported) {
        keyEvent.type = Type::Appeared;
    } else if (isOfOtherHold(keyEvent)) {
        keyEvent.type = Type::Replaced;
    } else if (const auto since = m_held[keyEvent.key].holderUnreportedSince;
               keyEvent.type == Type::FirstRead && since) {
        keyEvent.type = Type::Changed; // The start was reported without this holder.
        keyEvent.notBefore = std::min(keyEvent.notBefore, *since);
        keyEvent.firstNotification.reset();
    }
    // The request was not sent because of a change event.
    if (keyEvent.source == events::Source::NotifiedRead
        && m_server.events().mechanism() == watching::EventSource::Mechanism::None)
        keyEvent.source = events::Source::Poll;
    HeldLock &held = m_held[keyEvent.key];
    held.isStartUnreported = false;
    const FormerHold former {held.description, held.deadline};
    if (keyEvent.after) {
        if (const auto description = LockDescription::of(m_server, keyEvent.key, *keyEvent.after))
            held.description = *description;
    } else if (keyEvent.type == Type::Replaced || keyEvent.type == Type::HandedOver) {
        held.description.holder.reset();
    }
    if (keyEvent.deadline)
        held.deadline = keyEvent.deadline;
    const bool isNew = isStart(keyEvent);
    if (isNew || keyEvent.after)
        held.holderUnreportedSince = keyEvent.after ? std::nullopt : std::optional(keyEvent.notBefore);
    LockDescription description = isNew || !former.description.holder ? held.description : former.description;
    if (keyEvent.type == Type::Changed && keyEvent.isInferred && !keyEvent.after) {
        description.holder.reset(); // The value was not read, and may belong to another holder.
        held.holderUnreportedSince = held.holderUnreportedSince.value_or(keyEvent.notBefore);
    }
    m_history.take(keyEvent);
    if (keyEvent.type == Type::Ended) {
        m_held.remove(keyEvent.key);
        if (isOverwritten)
            Q_EMIT overwritten(keyEvent.key, description);
        else
            Q_EMIT ended(keyEvent.key, description);
    }
    Q_EMIT happened(keyEvent, description, former);
}

} // namespace latchkey::cli

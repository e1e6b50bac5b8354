#include "app/cli/clusterholds.h"

#include <algorithm>

namespace latchkey::cli {

using events::Ending;
using events::KeyEvent;
using Type = KeyEvent::Type;

ClusterHolds::ClusterHolds(const base::Clock &clock)
    : m_clock(clock)
{}

ClusterHolds::~ClusterHolds() = default;

void ClusterHolds::begin(ClusterLockEvent event, std::chrono::nanoseconds unread)
{
    auto *keyEvent = std::get_if<KeyEvent>(&event.content);
    if (keyEvent == nullptr || m_ended.makeStart(*keyEvent, unread))
        report(event);
}

void ClusterHolds::moveTo(const QByteArray &key, std::size_t owner)
{
    HeldClusterLock &held = m_held[key];
    held.isReportedByOwner = held.isReportedByOwner && held.owner == owner;
    held.owner = owner;
}

void ClusterHolds::continueAt(const ClusterLockEvent &event)
{
    HeldClusterLock &held = m_held[event.key()];
    held.owner = event.from;
    held.isReportedByOwner = true;
    const auto changed = changedDeadline(held, event, m_clock.now());
    held.description.holder = held.description.holder ? held.description.holder : event.description.holder;
    if (event.deadline())
        held.deadline = event.deadline();
    held.knownAt = std::max(held.knownAt, event.notBefore());
    held.reportAt = std::max(held.reportAt, event.notBefore());
    const LockDescription description = held.description;
    if (changed)
        Q_EMIT happened(*changed, description, {description, changed->deadline});
}

void ClusterHolds::report(const ClusterLockEvent &event)
{
    if (const auto *seenThere = std::get_if<ClusterLockEvent::Seen>(&event.content)) {
        m_held.insert(seenThere->key,
                      {event.from, event.description, seenThere->deadline, event.notBefore(), event.notBefore()});
        Q_EMIT seen(seenThere->key, event.description, seenThere->deadline, seenThere->at);
        return;
    }
    auto keyEvent = std::get<KeyEvent>(event.content);
    const HeldClusterLock before = m_held.value(keyEvent.key);
    if (keyEvent.type == Type::Ended) {
        keyEvent.notBefore = std::min(std::max(keyEvent.notBefore, before.knownAt), keyEvent.notAfter);
        m_held.remove(keyEvent.key);
        m_ended.add(keyEvent.key, keyEvent.notBefore, keyEvent.notAfter);
    } else {
        HeldClusterLock &held = m_held[keyEvent.key];
        if (!held.isReportedByOwner)
            keyEvent.notBefore = std::min(std::max(keyEvent.notBefore, before.reportAt), keyEvent.notAfter);
        held.owner = event.from;
        held.isReportedByOwner = true;
        held.description = event.after;
        if (keyEvent.deadline)
            held.deadline = keyEvent.deadline;
        held.knownAt = std::max(held.knownAt, keyEvent.notBefore);
        held.reportAt = std::max(held.reportAt, keyEvent.notBefore);
    }
    Q_EMIT happened(keyEvent, event.description, {before.description, before.deadline});
}

void ClusterHolds::end(const QByteArray &key, Ending ending, base::MonotonicTime found, bool isAtFailover)
{
    const HeldClusterLock held = m_held.take(key);
    const bool isDue = held.deadline && held.deadline->hasPassed(found);
    KeyEvent ended;
    ended.key = key;
    ended.type = Type::Ended;
    ended.ending = isDue && ending == Ending::Lost ? Ending::Expired : ending;
    ended.deadline = held.deadline;
    ended.notBefore = isDue && ending == Ending::Lost ? held.deadline->at() : std::min(held.knownAt, found);
    ended.notAfter = found;
    ended.isInferred = true;
    ended.isAtFailover = isAtFailover && !isDue;
    m_ended.add(key, ended.notBefore, found);
    Q_EMIT happened(ended, held.description, {held.description, held.deadline});
}

} // namespace latchkey::cli

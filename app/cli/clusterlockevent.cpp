#include "app/cli/clusterlockevent.h"

#include <algorithm>

namespace latchkey::cli {

using events::Ending;
using events::KeyEvent;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

/// Longest duration of a migration. MIGRATE sends the remaining time, so the deadline moves by this duration.
constexpr auto maxMigrationTime = 1s;

} // namespace

const QByteArray &ClusterLockEvent::key() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr ? keyEvent->key : std::get<Seen>(content).key;
}

bool ClusterLockEvent::isAppearance() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent == nullptr || keyEvent->type == Type::Appeared;
}

const KeyEvent *ClusterLockEvent::end() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr && keyEvent->type == Type::Ended ? keyEvent : nullptr;
}

bool ClusterLockEvent::isDoubtfulEnd() const
{
    const KeyEvent *ended = end();
    return ended != nullptr
        && (ended->ending == Ending::Deleted || ended->ending == Ending::Removed || ended->ending == Ending::Unknown);
}

bool ClusterLockEvent::mayBeOf(const HeldClusterLock &held) const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    if (keyEvent != nullptr && !keyEvent->after && (keyEvent->type == Type::Renewed || keyEvent->type == Type::Changed))
        return true;
    return description.kind == held.description.kind
        && (!description.holder || !held.description.holder || description.holder == held.description.holder);
}

const std::optional<base::Deadline> &ClusterLockEvent::deadline() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr ? keyEvent->deadline : std::get<Seen>(content).deadline;
}

base::MonotonicTime ClusterLockEvent::notBefore() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    if (keyEvent != nullptr)
        return keyEvent->notBefore;
    const Seen &seen = std::get<Seen>(content);
    const bool isTimed = seen.deadline && !seen.deadline->isNever();
    return isTimed ? seen.at - 2 * seen.deadline->uncertainty() : seen.at - maxMigrationTime;
}

base::MonotonicTime ClusterLockEvent::notAfter() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr ? keyEvent->notAfter : std::get<Seen>(content).at;
}

std::optional<KeyEvent> changedDeadline(const HeldClusterLock &held, const ClusterLockEvent &event,
                                        base::MonotonicTime now)
{
    const auto &deadline = event.deadline();
    if (!deadline || !held.deadline || deadline->agreesWith(*held.deadline))
        return std::nullopt;
    const bool isTimed = !deadline->isNever() && !held.deadline->isNever();
    const bool isLater = isTimed && deadline->at() > held.deadline->at();
    if (isLater && deadline->at() - held.deadline->at() < maxMigrationTime)
        return std::nullopt;
    KeyEvent changed;
    changed.key = event.key();
    changed.type = isLater ? Type::Renewed : Type::Changed;
    changed.deadline = deadline;
    changed.notAfter = now; // The deadline was read after the event, which may be the migration.
    changed.notBefore = std::min(held.reportAt, changed.notAfter);
    changed.isInferred = true;
    return changed;
}

} // namespace latchkey::cli

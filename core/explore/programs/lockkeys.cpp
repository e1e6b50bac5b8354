#include "core/explore/programs/lockkeys.h"

#include "core/foundation/base/glob.h"

#include <algorithm>

namespace latchkey::programs {

using races::LockKey;

namespace {

bool isPopped(const LockKey &key)
{
    return key.reason == LockKey::Reason::Popped;
}

/// Returns whether the key shows that the client has taken an element, before or after. The element may be the lock.
bool isOfElements(const LockKey &key)
{
    return isPopped(key) || key.reason == LockKey::Reason::Moved;
}

} // namespace

bool matchesAny(const QByteArray &key, const QList<QByteArray> &patterns)
{
    return std::ranges::any_of(patterns, [&](const QByteArray &pattern) { return base::Glob(pattern).matches(key); });
}

/// Without named locks, all keys count as locks if otherwise none would. The exception is a client that removes an
/// element before it enters: the element may be the lock.
void classifyLockKeys(std::vector<LockKey> &keys, const Program &program)
{
    using Reason = LockKey::Reason;
    const bool isAnyCertain = std::ranges::any_of(
        keys, [](const LockKey &key) { return key.reason == Reason::HasToken || key.reason == Reason::Released; });
    const bool hasPopped = std::ranges::any_of(keys, isPopped);
    for (LockKey &key : keys) {
        if (!program.locks.isEmpty() && !isOfElements(key))
            key.reason = matchesAny(key.key, program.locks) ? Reason::Named : Reason::NotNamed;
        else if (key.reason == Reason::Data && !isAnyCertain && !hasPopped && !matchesAny(key.key, program.data))
            key.reason = Reason::Only;
    }
    if (hasLock(keys)) // Then a removed element is a job, for example.
        std::erase_if(keys, [](const LockKey &key) { return isPopped(key) && key.servers == 0; });
}

bool hasLock(const std::vector<LockKey> &keys)
{
    return std::ranges::any_of(keys, &LockKey::isLock);
}

base::Text noLockReason(const std::vector<LockKey> &keys)
{
    const auto popped = std::ranges::find_if(keys, isPopped);
    return popped == keys.end()
             ? base::Text(QT_TRANSLATE_NOOP("core", "no key is a lock"))
             : base::Text(QT_TRANSLATE_NOOP("core", "the lock is taken by removing an element of %1, and the server "
                                                    "does not show who has it"),
                          base::printable(popped->key));
}

base::Text missingNamedLockReason(const std::vector<LockKey> &keys, const Program &program)
{
    const bool isElements = std::ranges::any_of(
        keys, [&](const LockKey &key) { return isOfElements(key) && matchesAny(key.key, program.locks); });
    const auto popped = std::ranges::find_if(keys, isPopped);
    if (!isElements || popped == keys.end())
        return base::Text(QT_TRANSLATE_NOOP("core", "it holds no key that --lock names when it is inside"));
    return base::Text(QT_TRANSLATE_NOOP("core", "it takes its lock by removing an element of %1, and the server does "
                                                "not show who has it: --lock cannot name this key"),
                      base::printable(popped->key));
}

} // namespace latchkey::programs

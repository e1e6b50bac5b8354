#pragma once

#include "core/explore/programs/program.h"

namespace latchkey::programs {

/// Returns whether the key matches one of the patterns, with * and ?.
[[nodiscard]] bool matchesAny(const QByteArray &key, const QList<QByteArray> &patterns);

/// Sets the reason of each key that a solo client held at its entry: whether the key is a lock.
void classifyLockKeys(std::vector<races::LockKey> &keys, const Program &program);

[[nodiscard]] bool hasLock(const std::vector<races::LockKey> &keys);
/// Returns why owner-only-release does not apply. `keys`: none of them is a lock.
[[nodiscard]] base::Text noLockReason(const std::vector<races::LockKey> &keys);
/// Returns why a client alone holds no key that --lock names.
[[nodiscard]] base::Text missingNamedLockReason(const std::vector<races::LockKey> &keys, const Program &program);

} // namespace latchkey::programs

#pragma once

#include <QLatin1String>
#include <QString>

// Temporary folders that say whose they are, so that a later run can remove what a killed one has left behind.
//
// Whoever makes such a folder keeps a QLockFile of this name in it for as long as it is in use, with a stale lock time
// of zero: only a dead owner makes it stale, not age.

namespace latchkey::base {

inline constexpr auto ownerLockName = QLatin1String("owner.lock");

/// Removes the folders in where whose names begin so and whose owners no longer live; how many. One whose owner lives,
/// that is another user's, or that is too young to have its lock yet, is left alone.
int removeLeftFolders(QLatin1String prefix, const QString &where);

} // namespace latchkey::base

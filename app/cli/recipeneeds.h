#pragma once

#include <QStringList>

namespace latchkey::cli {

/// The commands that a user has to be permitted for a recipe to work whole, for an ACL: those that it sends, and those
/// that its scripts call. A recipe that is not known needs none.
///
/// Not among them is what goes without where it is denied: TYPE, CLIENT and INFO.
[[nodiscard]] QStringList commandsNeededBy(const QString &recipe);

} // namespace latchkey::cli

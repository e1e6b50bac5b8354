#pragma once

#include <QString>

namespace latchkey::cli {

/// Returns the definitions of all promises, one per line, for `recipes` and for the help of `explore`.
[[nodiscard]] QString promiseDefinitions();

/// Returns the definition of a promise of a recipe or of a program. Empty for an unknown id.
[[nodiscard]] QString promiseDefinition(const QString &id);

} // namespace latchkey::cli

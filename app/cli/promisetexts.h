#pragma once

#include <QString>

namespace latchkey::cli {

/// Returns the definitions of all promises, one per line, for `recipes` and for the help of `explore`.
[[nodiscard]] QString promiseDefinitions();

} // namespace latchkey::cli

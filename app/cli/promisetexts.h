#pragma once

#include <QString>

namespace latchkey::cli {

/// Definitions of all promises, a line for each, for `recipes` and for the help of `explore`.
[[nodiscard]] QString promiseDefinitions();

} // namespace latchkey::cli

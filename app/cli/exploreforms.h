#pragma once

#include "app/cli/arguments.h"
#include "core/recipes/locks/compareform.h"

#include <vector>

namespace latchkey::cli {

/// Returns the forms of token comparison from explore --form: `script` (default); `single`, the single command of the
/// private server; `both`. For `single`, a server is started to find out the command. Errors: Local if the server has
/// no such command; Usage for any other value.
[[nodiscard]] base::Result<std::vector<locks::CompareForm>> exploredForms(const Arguments &arguments);

/// Returns the display name of a form: `by script`, `by DELEX`.
[[nodiscard]] QString formText(locks::CompareForm form);

} // namespace latchkey::cli

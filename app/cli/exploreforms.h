#pragma once

#include "app/cli/arguments.h"
#include "core/locks/compareform.h"

#include <vector>

namespace latchkey::cli {

/// In which forms explore --form has a lock compare its token: `script`, which it is without the option; `single`, the
/// command that the private server has for it; `both`. For `single` a server is started and asked; one that has no such
/// command is an error (Local), any other word is one too (Usage).
[[nodiscard]] base::Result<std::vector<locks::CompareForm>> exploredForms(const Arguments &arguments);

/// What a form is called to people: `by script`, `by DELEX`.
[[nodiscard]] QString formText(locks::CompareForm form);

} // namespace latchkey::cli
